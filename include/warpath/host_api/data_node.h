// Read access to a tree of configuration or message data, whatever JSON library the host uses.
//
//   std::string name = config.getString("pathfinder_impl", "classic");
//   if (auto astar = config.child("astar")) weight = astar->getDouble("heuristic_weight", 1.0);
//   for (const std::string& key : config.keys()) if (!known(key)) return Error{key, "unknown field", "remove it"};
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpath {

/// What a data node holds. `integer` is a number written without fraction or exponent that fits 64 signed bits; every other number is
/// `real`.
enum class DataType : std::uint8_t { null, boolean, integer, real, string, array, object };

/// One node of a tree of data that nobody changes any more.
///
/// Ownership: a child is a handle that keeps alive whatever it reads, so it may outlive the node that it came from. A host with raw
/// pointers into a tree of its own hands out an aliasing shared_ptr.
/// Threads: a tree never changes, so any number of threads may read it at once.
/// Errors: nothing throws and nothing converts. An absent or differently typed value is nullopt, nullptr or the default; code that must
/// tell "absent" from "wrong type" (every reader of a configuration) asks `child` and then the type.
class IDataNode {
public:
    virtual ~IDataNode() = default;

    [[nodiscard]] virtual DataType type() const = 0;
    /// The boolean, if this is one.
    [[nodiscard]] virtual std::optional<bool> boolean() const = 0;
    /// The integer, if this is one, or a real of integral value that a double holds exactly (|v| <= 2^53, so 3.0 and 1e3 count).
    [[nodiscard]] virtual std::optional<std::int64_t> integer() const = 0;
    /// The number, if this is one; an integer beyond 2^53 is rounded to the nearest double. Never NaN or infinite.
    [[nodiscard]] virtual std::optional<double> number() const = 0;
    /// The string (UTF-8), if this is one.
    [[nodiscard]] virtual std::optional<std::string> text() const = 0;

    /// Elements of an array, members of an object, else 0.
    [[nodiscard]] virtual std::size_t size() const = 0;
    /// The member called `name`; nullptr when there is none or this is no object. A member that holds null is a node of type null.
    [[nodiscard]] virtual std::shared_ptr<const IDataNode> child(std::string_view name) const = 0;
    /// Element `index` of an array or member `index` of an object; nullptr when out of range.
    [[nodiscard]] virtual std::shared_ptr<const IDataNode> at(std::size_t index) const = 0;
    /// The names of the members in the order of the document; empty when this is no object.
    [[nodiscard]] virtual std::vector<std::string> keys() const = 0;

    /// This node as compact JSON text, members in the order of the document. Parsing the text gives an equal tree.
    [[nodiscard]] virtual std::string toJson() const = 0;

    [[nodiscard]] bool isNull() const { return type() == DataType::null; }
    [[nodiscard]] bool isObject() const { return type() == DataType::object; }
    [[nodiscard]] bool isArray() const { return type() == DataType::array; }
    [[nodiscard]] bool has(std::string_view name) const { return child(name) != nullptr; }

    /// The string member called `name`, or the default when it is absent or no string.
    [[nodiscard]] std::string getString(std::string_view name, std::string_view fallback = {}) const {
        const auto node = child(name);
        auto value = node ? node->text() : std::nullopt;
        return value ? *std::move(value) : std::string(fallback);
    }
    /// The number member called `name`, or the default when it is absent or no number.
    [[nodiscard]] double getDouble(std::string_view name, double fallback = 0.0) const {
        const auto node = child(name);
        return node ? node->number().value_or(fallback) : fallback;
    }
    /// The integral member called `name` (see `integer`), or the default when it is absent or not integral.
    [[nodiscard]] std::int64_t getInt(std::string_view name, std::int64_t fallback = 0) const {
        const auto node = child(name);
        return node ? node->integer().value_or(fallback) : fallback;
    }
    /// The boolean member called `name`, or the default when it is absent or no boolean.
    [[nodiscard]] bool getBool(std::string_view name, bool fallback = false) const {
        const auto node = child(name);
        return node ? node->boolean().value_or(fallback) : fallback;
    }
};

}  // namespace warpath
