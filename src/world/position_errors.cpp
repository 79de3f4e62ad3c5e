#include "warpath/world/position_errors.h"

#include <utility>

#include "warpath/core/number_text.h"

namespace warpath {
namespace {

// Piece by piece into strings that keep their capacity; each piece is short enough to need none of its own.
void appendPair(std::string& text, const std::string& x, const std::string& y) { text.append("[").append(x).append(",").append(y).append("]"); }

void appendBounds(std::string& text, const WorldSnapshot& snapshot) {
    const CellRect b = snapshot.bounds();
    appendPair(text, std::to_string(b.x), std::to_string(b.y));
    text.append(" to below ");
    appendPair(text, std::to_string(b.x + b.width), std::to_string(b.y + b.height));
}

}  // namespace

std::string positionText(Position p) {
    std::string text;
    appendPair(text, numberText(p.x), numberText(p.y));
    return text;
}

std::string rectText(const CellRect& rect) {
    return "[" + std::to_string(rect.x) + "," + std::to_string(rect.y) + "," + std::to_string(rect.width) + "," + std::to_string(rect.height) + "]";
}

Error unusablePosition(std::string field, Position p) { return {std::move(field), positionText(p), "use finite metres within +-4,000,000"}; }

Error offMap(const WorldSnapshot& snapshot, std::string field, Position p) {
    Error out;
    writeOffMap(snapshot, "", p, out);
    out.field = std::move(field);
    return out;
}

Error offMap(const WorldSnapshot& snapshot, std::string field, const CellRect& rect) {
    Error out{std::move(field), rectText(rect) + " lies off the map", "use cells from "};
    appendBounds(out.remedy, snapshot);
    return out;
}

void writeOffMap(const WorldSnapshot& snapshot, const char* field, Position p, Error& out) {
    out.field = field;
    out.value.clear();
    appendPair(out.value, numberText(p.x), numberText(p.y));
    out.value.append(" lies off the map");
    out.remedy = "use metres from ";
    appendBounds(out.remedy, snapshot);
}

}  // namespace warpath
