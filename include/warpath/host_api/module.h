// What a host can do with a module. A module is one part of a game that is configured, ticked and reloaded as a whole.
//
//   class Echo final : public IModule { ... };                          // two instances share no state: no statics, no globals
//   if (auto error = module.setConfiguration(config, io, scheduler)) log(error->text());
//   each frame: module.process(input);
#pragma once

#include <optional>
#include <string>

#include "warpath/core/error.h"
#include "warpath/host_api/data_node.h"
#include "warpath/host_api/io.h"
#include "warpath/host_api/task_scheduler.h"

namespace warpath {

/// A module of a game.
///
/// Threads: the host never makes two calls to one module at the same time; which thread makes them may change from call to call. Only the
/// executors that the module registered run beside them.
/// Order: setConfiguration first; then any calls in any order; shutdown ends it, after which only the destructor, getConfiguration,
/// getHealthStatus and getState are called.
/// Errors: a module lets no exception out of any of these calls.
/// Data goes in as IDataNode and comes out as JSON text (compact, UTF-8), so neither side needs the other's JSON library.
class IModule {
public:
    virtual ~IModule() = default;

    /// Takes a configuration; called again whenever it changes, always with the same `io` and `scheduler`.
    /// `scheduler` is nullptr on a host without workers. Both live until the module is destroyed; `config` only during the call.
    /// @return nullopt when taken; otherwise the field that is wrong, its value and the remedy. A refused configuration changes nothing:
    ///   the module goes on with the one before, or, if there was none, stays unconfigured and answers process with doing nothing.
    [[nodiscard]] virtual std::optional<Error> setConfiguration(const IDataNode& config, IIO& io, ITaskScheduler* scheduler) = 0;

    /// One tick: take messages, start and finish tasks, publish answers. Must keep within the frame budget and never waits for a task.
    /// `input` is an object with at least `delta_time` [s, >= 0: game time since the last tick] and `frame` [counts up by one a tick from
    /// 0]. Answers leave through IIO alone.
    virtual void process(const IDataNode& input) = 0;

    /// The configuration in force with every default filled in, as JSON text; "{}" before the first.
    [[nodiscard]] virtual std::string getConfiguration() const = 0;
    /// Figures for a person or a watchdog, as a JSON object with at least `module` (its kind).
    [[nodiscard]] virtual std::string getHealthStatus() const = 0;

    /// Ends all work: tells running tasks to stop early, answers what is still open through `io`. Does not wait for tasks. A second call
    /// does nothing.
    virtual void shutdown() = 0;

    /// What a fresh instance with the same configuration needs to go on from here, as JSON text. Changes nothing.
    [[nodiscard]] virtual std::string getState() const = 0;
    /// Goes on from a state of getState; called after setConfiguration.
    /// @return nullopt, or what is wrong with it (nothing is changed then).
    [[nodiscard]] virtual std::optional<Error> setState(const IDataNode& state) = 0;
};

}  // namespace warpath
