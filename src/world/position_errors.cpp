#include "warpath/world/position_errors.h"

#include <utility>

#include "warpath/core/number_text.h"

namespace warpath {
namespace {

// Piece by piece into strings that keep their capacity; each piece is short enough to need none of its own.
void appendPair(std::string& text, const std::string& x, const std::string& y) { text.append("[").append(x).append(",").append(y).append("]"); }

}  // namespace

std::string positionText(Position p) {
    std::string text;
    appendPair(text, numberText(p.x), numberText(p.y));
    return text;
}

Error unusablePosition(std::string field, Position p) { return {std::move(field), positionText(p), "use finite metres within +-4,000,000"}; }

Error offMap(const WorldSnapshot& snapshot, std::string field, Position p) {
    Error out;
    writeOffMap(snapshot, "", p, out);
    out.field = std::move(field);
    return out;
}

void writeOffMap(const WorldSnapshot& snapshot, const char* field, Position p, Error& out) {
    const CellRect b = snapshot.bounds();
    out.field = field;
    out.value.clear();
    appendPair(out.value, numberText(p.x), numberText(p.y));
    out.value.append(" lies off the map");
    out.remedy = "use metres from ";
    appendPair(out.remedy, std::to_string(b.x), std::to_string(b.y));
    out.remedy.append(" to below ");
    appendPair(out.remedy, std::to_string(b.x + b.width), std::to_string(b.y + b.height));
}

}  // namespace warpath
