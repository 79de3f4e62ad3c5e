// The few places that look into JSON values beyond what io's readers offer; the only handler code that needs the JSON library.
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "module/core.h"

namespace warpath::module_detail {
namespace {

/// Walks a document and remembers the top-level `request_id` and `type`.
class IdScanner {
public:
    bool null() { return other(); }
    bool boolean(bool) { return other(); }
    bool number_integer(Json::number_integer_t v) { return scalar(std::to_string(v)); }
    bool number_unsigned(Json::number_unsigned_t v) { return scalar(std::to_string(v)); }
    bool number_float(Json::number_float_t, const std::string&) { return other(); }
    bool string(std::string& v) { return scalar(Json(v).dump()); }
    bool binary(Json::binary_t&) { return other(); }
    bool start_object(std::size_t) { return open(); }
    bool start_array(std::size_t) { return open(); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        member_ = depth_ == 1 ? name : std::string();
        if (member_ == "request_id") ++ids_;
        if (member_ == "type") ++types_;
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) { return false; }

    [[nodiscard]] RecoveredHead head() const { return {ids_ == 1 ? id_ : std::nullopt, types_ == 1 ? type_ : std::string()}; }

private:
    bool open() {
        member_.clear();
        ++depth_;
        return true;
    }
    bool close() {
        --depth_;
        return true;
    }
    bool other() {
        member_.clear();
        return true;
    }
    bool scalar(std::string json) {
        if (member_ == "request_id") id_ = std::move(json);
        if (member_ == "type") type_ = std::move(json);
        return other();
    }

    int depth_ = 0;
    int ids_ = 0, types_ = 0;
    std::string member_;  ///< The top-level member whose value comes next.
    std::optional<std::string> id_;
    std::string type_;    ///< As JSON text.
};

}  // namespace

std::optional<std::string> idText(const Json& value) {
    if (!value.is_string() && !value.is_number_integer()) return std::nullopt;
    return value.dump();
}

RecoveredHead recoverHead(std::string_view text) {
    IdScanner scanner;
    if (!Json::sax_parse(text.begin(), text.end(), &scanner)) return {};
    return scanner.head();
}

const Json* readArray(JsonObject& fields, std::string_view key, std::size_t low, std::size_t high, std::optional<Error>& error) {
    const Json* value = fields.find(key);
    if (value == nullptr) return nullptr;
    if (!value->is_array() || value->size() < low || value->size() > high) {
        noteError(error, fields.pathOf(key), describeJson(*value),
                  "use an array of " + std::to_string(low) + " to " + std::to_string(high) + " entries");
        return nullptr;
    }
    return value;
}

bool isArrayOf(const Json& value, std::size_t size) { return value.is_array() && value.size() == size; }

std::size_t sizeOf(const Json& array) { return array.size(); }

const Json& elementOf(const Json& array, std::size_t index) { return array[index]; }

bool readWaypoint(const Json& value, const std::string& path, Position& out, std::optional<Error>& error) {
    if (!value.is_object() || value.size() <= 2) return readPosition(value, path, out, error);
    static const std::array<const char*, 4> kSpeeds{toString(MovementSpeed::Sprint), toString(MovementSpeed::Run), toString(MovementSpeed::Walk),
                                                    toString(MovementSpeed::Crouch)};
    static constexpr std::array<const char*, 2> kLegs{"navmesh", "straight"};
    constexpr float kAny = std::numeric_limits<float>::max();
    Position read, direction;
    bool has_cover = false;
    float number = 0.0f;
    std::size_t speed = 0, leg = 0;
    JsonObject object(value, path, error);
    for (const char* key : {"x", "y"}) object.require(key);
    object.read("x", read.x, -kMaxCoordinate, kMaxCoordinate);
    object.read("y", read.y, -kMaxCoordinate, kMaxCoordinate);
    object.read("has_cover", has_cover);
    for (const char* key : {"cover_quality", "threat_level", "pause_duration"}) object.read(key, number, 0.0f, kAny);
    object.read("cover_direction", direction);
    object.readEnum("speed", speed, kSpeeds);
    object.readEnum("leg", leg, kLegs);
    object.finish();
    if (error) return false;
    out = read;
    return true;
}

}  // namespace warpath::module_detail
