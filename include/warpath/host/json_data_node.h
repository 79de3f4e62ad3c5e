// The reference host's data nodes: JSON text, parsed once into a tree that never changes.
//
//   ParsedJson config = JsonDataNode::parse(text);
//   if (config.error) fail(config.error->text());        // "line 3, column 14: unexpected '}'; ..."
//   use(*config.node);
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/host_api/data_node.h"

namespace warpath {

/// What is refused beyond wrong syntax.
struct JsonLimits {
    /// Longest text [bytes] [>= 1] [64 MiB: more than any configuration].
    std::size_t max_bytes = std::size_t{64} << 20;
    /// Deepest nesting of arrays and objects [levels] [1..512] [128: no recursion over the tree can exhaust a thread's stack].
    std::size_t max_depth = 128;
};

struct ParsedJson;

/// A node of a parsed JSON text. Copies are cheap and share the tree, which lives as long as any node of it.
///
/// Strict: UTF-8 only, no comments, no trailing commas; a member given twice, a number beyond the range of a double and anything after
/// the value are errors, since one of two readings would be dropped silently.
/// Cost: child and at are O(log members) and O(1), with one small allocation for the handle.
class JsonDataNode final : public IDataNode {
public:
    /// @return the root, or an Error whose field is "line L, column C" (both from 1, columns in bytes), whose value is what was read last.
    [[nodiscard]] static ParsedJson parse(std::string_view text, const JsonLimits& limits = {});

    [[nodiscard]] DataType type() const override;
    [[nodiscard]] std::optional<bool> boolean() const override;
    [[nodiscard]] std::optional<std::int64_t> integer() const override;
    [[nodiscard]] std::optional<double> number() const override;
    [[nodiscard]] std::optional<std::string> text() const override;
    [[nodiscard]] std::size_t size() const override;
    [[nodiscard]] std::shared_ptr<const IDataNode> child(std::string_view name) const override;
    [[nodiscard]] std::shared_ptr<const IDataNode> at(std::size_t index) const override;
    [[nodiscard]] std::vector<std::string> keys() const override;
    [[nodiscard]] std::string toJson() const override;

    /// One value of the tree; private to the .cpp.
    struct Value;
    explicit JsonDataNode(std::shared_ptr<const Value> value) : value_(std::move(value)) {}

private:
    std::shared_ptr<const Value> value_;
};

/// Exactly one of the two is set.
struct ParsedJson {
    std::shared_ptr<const JsonDataNode> node;
    std::optional<Error> error;
};

}  // namespace warpath
