// warpath: the command line tool. See docs/cli.md; each command lives in command_<name>.cpp.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "command.h"

namespace warpath::tool {
namespace {

struct Command {
    const char* name;
    const char* description;
    Action (*set_up)(CLI::App& app);
};

constexpr std::array kCommands = {
    Command{"path", "Finds one path and prints it; draws it with --png.", setUpPath},
    Command{"paths", "Finds several different paths.", setUpPaths},
    Command{"costs", "Tells what it costs to come to each of several places, without the routes.", setUpCosts},
    Command{"scenario", "Runs the queries of a MovingAI .scen file, checks their lengths and takes their times.", setUpScenario},
    Command{"flow", "Computes a flow field to a goal: distances, directions, next cells; draws it with --png.", setUpFlow},
    Command{"edits", "Changes a map at random and compares answers in between with a flood fill and fresh searches.", setUpEdits},
    Command{"serve", "Runs the pathfinder module in a host: publishes requests line by line, prints its answers.", setUpServe},
    Command{"navmesh", "Builds the navigation mesh of a map, finds a way on it, draws both.", setUpNavmesh},
    Command{"hash", "Runs the built-in corpus and prints one hash per part: equal on every machine.", setUpHash},
    Command{"render", "Draws a map with the layers asked for.", setUpRender},
};

int say(const std::string& line) {
    std::fprintf(stderr, "%s\n", line.c_str());
    return kBadInput;
}

/// What CLI11 has to say, in one line that names the argument, the value and the remedy.
std::string oneLine(const std::string& command, const CLI::App& app, const CLI::ParseError& error) {
    const std::string what = error.what();
    std::string text = what.substr(0, what.find('\n'));
    while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
    const std::string help = "see `" + command + " --help`";
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {  // "The following argument was not expected: --wat"
        text = text.substr(text.rfind(": ") == std::string::npos ? 0 : text.rfind(": ") + 2);
        const std::size_t dash = text.find('-');  // a name rather than the value behind it
        text = text.substr(dash == std::string::npos ? 0 : dash);
        return command + ": " + text.substr(0, text.find(' ')) + ": no such argument; " + help;
    }
    if (const std::string end = " is required"; text.size() > end.size() && text.ends_with(end)) {
        return command + ": " + text.substr(0, text.size() - end.size()) + ": missing; give it, " + help;
    }
    if (const std::string begin = "Could not convert: "; text.starts_with(begin) && text.find(" = ") != std::string::npos) {  // "Could not convert: --json = maybe"
        const std::size_t equals = text.find(" = ");
        const std::string name = text.substr(begin.size(), equals - begin.size());
        const CLI::Option* option = app.get_option_no_throw(name);
        const bool is_flag = option != nullptr && option->get_items_expected_max() == 0;
        return command + ": " + name + ": \"" + text.substr(equals + 3) + "\"; use " + (is_flag ? "it without a value, or true or false" : "a number");
    }
    return command + ": " + text + (text.find("; ") == std::string::npos ? "; " + help : "");
}

int run(int argc, char** argv) {
    CLI::App app("Pathfinding for large real-time war games: ask for paths, draw maps, measure.\n"
                 "Exit status: 0 done, 1 the answer is no, 2 bad usage or input.");
    app.name("warpath");
    app.require_subcommand(1);
    std::vector<std::pair<CLI::App*, Action>> commands;
    for (const Command& command : kCommands) {
        CLI::App* sub = app.add_subcommand(command.name, command.description);
        commands.emplace_back(sub, command.set_up(*sub));
    }
    const auto is_known = [argv](const Command& command) { return std::string(command.name) == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && std::none_of(kCommands.begin(), kCommands.end(), is_known)) {
        std::string names;
        for (const Command& command : kCommands) names += (names.empty() ? "" : ", ") + std::string(command.name);
        return say("warpath: " + std::string(argv[1]) + ": no such command; use " + names + ", or see `warpath --help`");
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        const auto chosen = app.get_subcommands();
        std::fputs((chosen.empty() ? app.help() : chosen.front()->help()).c_str(), stdout);
        return kDone;
    } catch (const CLI::ParseError& error) {
        const auto chosen = app.get_subcommands();
        return chosen.empty() ? say(oneLine("warpath", app, error)) : say(oneLine("warpath " + chosen.front()->get_name(), *chosen.front(), error));
    }
    for (const auto& [sub, action] : commands) {
        if (!sub->parsed()) continue;
        try {
            const int status = action();
            if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return say("stdout: cannot be written; point it at a place with room");
            return status;
        } catch (const Refusal& refusal) {
            return say("warpath " + sub->get_name() + ": " + refusal.what());
        }
    }
    return kBadInput;
}

}  // namespace
}  // namespace warpath::tool

int main(int argc, char** argv) { return warpath::tool::run(argc, argv); }
