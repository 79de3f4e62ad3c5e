// warpath hash: one number per part of the library, equal on every machine.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.h"
#include "corpus.h"
#include "options.h"
#include "report.h"

namespace warpath::tool {
namespace {

struct Options {
    int threads = 1;
    std::uint64_t seed = 0;
    bool json = false, reduced = false, navmesh = false;
};

std::string hex(std::uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

int run(const Options& options) {
    const Corpus corpus(options.reduced, options.navmesh ? Corpus::Subject::Navmesh : Corpus::Subject::Library);
    const auto parts = runCorpus(corpus, options.threads);
    Hash64 all;
    for (const CorpusPart& part : parts) {
        all.add(part.name);
        all.add(part.hash);
    }
    if (options.json) {
        Json json;
        for (const CorpusPart& part : parts) json["parts"][part.name] = hex(part.hash);
        json["hash"] = hex(all.value());
        std::puts(json.dump().c_str());
    } else {
        for (const CorpusPart& part : parts) std::printf("%-16s %s\n", part.name.c_str(), hex(part.hash).c_str());
        std::printf("%-16s %s\n", "all", hex(all.value()).c_str());
    }
    return kDone;
}

}  // namespace

Action setUpHash(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("--threads", options->threads, "Threads to split the corpus over; the hashes do not depend on it (1)")->check(wholeNumber(1, 256));
    app.add_option("--seed", options->seed, "Taken by every command; the corpus has seeds of its own")->check(wholeNumber(0, INT64_MAX));
    app.add_flag("--json", options->json, "One JSON document instead of text");
    app.add_flag("--reduced", options->reduced, "A quarter of the questions, for slow machines; other hashes than the full corpus");
    app.add_flag("--navmesh", options->navmesh, "The hash of the navmesh instead: equal for one version of Recast");
    return [options] { return run(*options); };
}

}  // namespace warpath::tool
