// A command of the tool: its name, what it takes and what it does. One file each, listed in main.cpp.
//
//   Action setUpPath(CLI::App& app) { auto options = std::make_shared<...>(); app.add_option(...); return [options] { return run(*options); }; }
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "warpath/core/error.h"

namespace CLI {
class App;
}

namespace warpath::tool {

/// Exit statuses of the tool.
inline constexpr int kDone = 0;
inline constexpr int kAnswerIsNo = 1;
inline constexpr int kBadInput = 2;

/// Runs a command whose arguments have been read; returns the exit status.
using Action = std::function<int()>;

/// An argument or input that the tool cannot work with: main prints its line and leaves with kBadInput.
class Refusal : public std::exception {
public:
    explicit Refusal(const Error& error) : text_(error.text()) {}
    Refusal(std::string field, std::string value, std::string remedy) : Refusal(Error{std::move(field), std::move(value), std::move(remedy)}) {}
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

Action setUpPath(CLI::App& app);
Action setUpPaths(CLI::App& app);
Action setUpCosts(CLI::App& app);
Action setUpScenario(CLI::App& app);
Action setUpEdits(CLI::App& app);
Action setUpServe(CLI::App& app);
Action setUpNavmesh(CLI::App& app);
Action setUpHash(CLI::App& app);
Action setUpRender(CLI::App& app);
Action setUpFlow(CLI::App& app);

}  // namespace warpath::tool
