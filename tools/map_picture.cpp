#include "map_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "warpath/core/hash.h"

namespace warpath::tool {
namespace {

constexpr int kLegendWidth = 330;
constexpr int kMargin = 14;
constexpr int kTextScale = 2;
constexpr int kRow = 26;

constexpr std::array<std::pair<const char*, Colour>, 10> kTerrainColours = {{{"road", {214, 203, 178}},
                                                                             {"grass", {176, 205, 138}},
                                                                             {"forest", {98, 148, 84}},
                                                                             {"swamp", {128, 142, 98}},
                                                                             {"mountain", {158, 145, 130}},
                                                                             {"urban", {196, 188, 184}},
                                                                             {"sand", {233, 218, 164}},
                                                                             {"snow", {240, 245, 250}},
                                                                             {"water", {112, 164, 212}},
                                                                             {"rubble", {176, 160, 138}}}};

constexpr std::array<Colour, 8> kRouteColours = {{{214, 39, 40}, {31, 90, 200}, {235, 130, 0}, {130, 50, 170}, {0, 140, 120}, {190, 40, 130}, {110, 80, 40}, {60, 60, 70}}};

Colour obstacleColour(ObstacleKind kind) {
    switch (kind) {
        case ObstacleKind::None: break;
        case ObstacleKind::Building: return {150, 88, 74};
        case ObstacleKind::Wall: return {104, 100, 100};
        case ObstacleKind::Rock: return {92, 90, 96};
        case ObstacleKind::Vegetation: return {44, 92, 48};
    }
    return kBlack;
}

bool isStandard(const std::string& name) {
    return std::any_of(kTerrainColours.begin(), kTerrainColours.end(), [&](const auto& known) { return name == known.first; });
}

std::string spaced(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

void drawStart(Picture& on, Point at, float size) {
    on.disc(at, size + 2, kWhite);
    on.disc(at, size, {30, 150, 60});
}

void drawGoal(Picture& on, Point at, float size) {
    on.disc(at, size + 2, kWhite);
    on.ring(at, size - 1.5f, 4.0f, {30, 30, 40});
    on.disc(at, size / 3, {30, 30, 40});
}

/// A colour and how much of it covers the ground, 0..1.
struct Paint {
    Colour colour;
    float coverage = 1.0f;
};

/// How thickly a value of a fading scale is painted: faint values let the ground through.
float coverageOf(float value) { return 0.25f + 0.75f * std::clamp(value * 1.5f, 0.0f, 1.0f); }

/// A red diamond.
void drawEnemySign(Picture& on, Point at, float size) {
    for (const auto& [r, colour] : {std::pair{size + 2.5f, kWhite}, std::pair{size, Colour{170, 0, 20}}}) {
        on.triangle({at.x - r, at.y}, {at.x, at.y - r}, {at.x + r, at.y}, colour);
        on.triangle({at.x - r, at.y}, {at.x, at.y + r}, {at.x + r, at.y}, colour);
        on.line({at.x - r, at.y}, {at.x + r, at.y}, 1.0f, colour);
    }
}

/// Mean multiplier of the classes that can enter.
float meanCost(const WorldRules& rules, std::size_t terrain) {
    float sum = 0.0f;
    int count = 0;
    for (const UnitClass& unit : rules.unit_classes) {
        if (unit.multipliers[terrain] >= kImpassable) continue;
        sum += unit.multipliers[terrain];
        ++count;
    }
    return count == 0 ? kImpassable : sum / static_cast<float>(count);
}

}  // namespace

const std::vector<Colour>& dangerRamp() {
    static const std::vector<Colour> stops = {{255, 236, 150}, {253, 174, 60}, {230, 70, 40}, {130, 0, 30}};
    return stops;
}
const std::vector<Colour>& shelterRamp() {
    static const std::vector<Colour> stops = {{236, 240, 220}, {130, 196, 150}, {20, 110, 80}};
    return stops;
}
const std::vector<Colour>& distanceRamp() {
    static const std::vector<Colour> stops = {{68, 1, 84}, {59, 82, 139}, {33, 144, 141}, {93, 201, 99}, {253, 231, 37}};
    return stops;
}

Colour terrainColour(const WorldRules& rules, Terrain terrain) {
    const auto index = static_cast<std::size_t>(terrain);
    for (const auto& [name, colour] : kTerrainColours)
        if (rules.terrain_types[index].name == name) return colour;
    const float cost = meanCost(rules, index);
    if (cost >= kImpassable) return {70, 70, 80};
    static const std::vector<Colour> stops = {{206, 226, 180}, {240, 226, 160}, {226, 176, 112}, {176, 116, 84}, {116, 70, 66}};
    return ramp(stops, std::log2(std::max(cost, 1.0f)) / 4.0f);
}

Colour distinctColour(std::uint64_t number) {
    const std::uint64_t bits = Hash64::mix(number * 0x9e3779b97f4a7c15ull + 17);
    // A hue of 0..359, strong enough to tell neighbours apart.
    const float hue = static_cast<float>(bits % 360) / 60.0f;
    const float strength = 0.45f + static_cast<float>((bits >> 32) % 40) / 100.0f;
    const float x = 1.0f - std::fabs(std::fmod(hue, 2.0f) - 1.0f);
    const float rgb[6][3] = {{1, x, 0}, {x, 1, 0}, {0, 1, x}, {0, x, 1}, {x, 0, 1}, {1, 0, x}};
    const float* pure = rgb[static_cast<int>(hue) % 6];
    const auto channel = [&](int i) { return static_cast<std::uint8_t>(255.0f * (0.92f - strength * (1.0f - pure[i]))); };
    return {channel(0), channel(1), channel(2)};
}

CellRect areaAround(const WorldSnapshot& snapshot, const std::vector<Position>& points) {
    const CellRect whole = snapshot.bounds();
    if (points.empty() || std::max(whole.width, whole.height) <= 320) return whole;
    float x0 = points[0].x, x1 = x0, y0 = points[0].y, y1 = y0;
    for (const Position p : points) {
        x0 = std::min(x0, p.x), x1 = std::max(x1, p.x);
        y0 = std::min(y0, p.y), y1 = std::max(y1, p.y);
    }
    const int margin = 24 + static_cast<int>(std::max(x1 - x0, y1 - y0) / 6.0f);
    const int side_x = static_cast<int>(x1 - x0) + 2 * margin, side_y = static_cast<int>(y1 - y0) + 2 * margin;
    const int side = std::max({side_x, side_y, 160});
    if (side * 10 >= std::max(whole.width, whole.height) * 8) return whole;
    // A square around the middle, moved inside the map.
    const int left = std::clamp(static_cast<int>((x0 + x1) / 2) - side / 2, whole.x, whole.x + std::max(0, whole.width - side));
    const int top = std::clamp(static_cast<int>((y0 + y1) / 2) - side / 2, whole.y, whole.y + std::max(0, whole.height - side));
    return intersect({left, top, side, side}, whole);
}

namespace {

CellRect shownArea(const WorldSnapshot& snapshot, const MapView& view) {
    const CellRect area = view.area.empty() ? snapshot.bounds() : intersect(view.area, snapshot.bounds());
    return area.empty() ? snapshot.bounds() : area;
}

float scaleOf(const CellRect& area, int target) {
    const float longest = static_cast<float>(std::max(area.width, area.height));
    const float scale = static_cast<float>(target) / longest;
    return scale >= 1.0f ? std::floor(std::min(scale, 40.0f)) : scale;
}

int pixelsFor(int cells, float scale) { return std::max(1, static_cast<int>(std::ceil(static_cast<float>(cells) * scale))); }

}  // namespace

MapPicture::MapPicture(const WorldSnapshot& snapshot, const MapView& view)
    : snapshot_(snapshot), view_(view), area_(shownArea(snapshot, view)), scale_(scaleOf(area_, view.target_pixels)),
      samples_(scale_ >= 1.0f ? 1 : std::min(4, static_cast<int>(std::ceil(1.0f / scale_)))),
      canvas_(pixelsFor(area_.width, scale_), pixelsFor(area_.height, scale_), kWhite) {}

template <class Sample>
void MapPicture::paintCells(float alpha, const Sample& sample) {
    const float samples = static_cast<float>(samples_), count = samples * samples;
    for (int py = 0; py < canvas_.height(); ++py) {
        for (int px = 0; px < canvas_.width(); ++px) {
            float painted = 0.0f, red = 0.0f, green = 0.0f, blue = 0.0f;
            for (int s = 0; s < samples_ * samples_; ++s) {
                const float fx = (static_cast<float>(px) + (static_cast<float>(s % samples_) + 0.5f) / samples) / scale_;
                const float fy = (static_cast<float>(py) + (static_cast<float>(s / samples_) + 0.5f) / samples) / scale_;
                const Cell cell{area_.x + std::min(static_cast<int>(fx), area_.width - 1), area_.y + std::min(static_cast<int>(fy), area_.height - 1)};
                const std::optional<Paint> paint = sample(cell, fx - std::floor(fx), fy - std::floor(fy));
                if (!paint) continue;
                painted += paint->coverage;
                red += static_cast<float>(paint->colour.red) * paint->coverage;
                green += static_cast<float>(paint->colour.green) * paint->coverage;
                blue += static_cast<float>(paint->colour.blue) * paint->coverage;
            }
            if (painted == 0.0f) continue;
            const auto mean = [painted](float sum) { return static_cast<std::uint8_t>(sum / painted + 0.5f); };
            canvas_.blend(px, py, {mean(red), mean(green), mean(blue)}, alpha * painted / count);
        }
    }
}

void MapPicture::drawTerrain() {
    const WorldRules& rules = snapshot_.rules();
    std::vector<Colour> colours;
    for (std::size_t t = 0; t < rules.terrain_types.size(); ++t) colours.push_back(terrainColour(rules, static_cast<Terrain>(t)));
    std::vector<bool> seen_terrain(colours.size());
    std::array<bool, 8> seen_kind{};
    const auto height = [&](int x, int y) {
        const Cell c{std::clamp(x, snapshot_.bounds().x, snapshot_.bounds().x + snapshot_.width() - 1),
                     std::clamp(y, snapshot_.bounds().y, snapshot_.bounds().y + snapshot_.height() - 1)};
        return snapshot_.elevationAt(c);
    };
    const auto blocked = [&](int x, int y) {
        return snapshot_.contains({x, y}) && obstacleKind(snapshot_.obstacleAt({x, y})) != ObstacleKind::None;
    };
    const bool elevated = snapshot_.state().elevated_chunks != 0;
    const bool bevels = scale_ >= 4.0f;
    const float edge = std::min(0.3f, 1.6f / scale_);
    paintCells(1.0f, [&](Cell c, float in_x, float in_y) -> std::optional<Paint> {
        const auto terrain = static_cast<std::size_t>(snapshot_.terrainAt(c));
        Colour colour = colours[terrain];
        float light = 1.0f;
        if (elevated) {  // Light falls from the north west.
            const float slope = (height(c.x + 1, c.y) - height(c.x - 1, c.y) + height(c.x, c.y + 1) - height(c.x, c.y - 1)) / 4.0f;
            light = std::clamp(1.0f + 0.35f * slope, 0.65f, 1.3f);
        }
        const PackedObstacle obstacle = snapshot_.obstacleAt(c);
        const ObstacleKind kind = obstacleKind(obstacle);
        if (kind != ObstacleKind::None) {
            seen_kind[static_cast<std::size_t>(kind)] = true;
            colour = obstacleColour(kind);
            // Higher things are a little lighter on top.
            light *= 0.92f + 0.02f * std::min(8.0f, static_cast<float>(obstacleHeightCm(obstacle)) / 100.0f);
            if (bevels) {
                if ((in_x < edge && !blocked(c.x - 1, c.y)) || (in_y < edge && !blocked(c.x, c.y - 1))) light *= 1.3f;
                if ((in_x > 1 - edge && !blocked(c.x + 1, c.y)) || (in_y > 1 - edge && !blocked(c.x, c.y + 1))) light *= 0.7f;
            }
        } else {
            seen_terrain[terrain] = true;
            // The shadow of what stands to the north west.
            if (bevels ? ((in_x < 0.35f && blocked(c.x - 1, c.y)) || (in_y < 0.35f && blocked(c.x, c.y - 1)))
                       : scale_ >= 2.0f && blocked(c.x - 1, c.y - 1))
                light *= 0.84f;
        }
        return Paint{shade(colour, light), 1.0f};
    });
    for (std::size_t t = 0; t < colours.size(); ++t) {
        if (!seen_terrain[t]) continue;
        std::string text = spaced(rules.terrain_types[t].name);
        if (!isStandard(rules.terrain_types[t].name)) {
            char cost[32];
            std::snprintf(cost, sizeof cost, ": x %g", static_cast<double>(meanCost(rules, t)));
            text += cost;
        }
        addLegend(colours[t], text);
    }
    for (const ObstacleKind kind : {ObstacleKind::Building, ObstacleKind::Wall, ObstacleKind::Rock, ObstacleKind::Vegetation}) {
        if (seen_kind[static_cast<std::size_t>(kind)]) addLegend(obstacleColour(kind), std::string(warpath::toString(kind)) + " (blocks)");
    }
}

void MapPicture::drawHeat(const std::string& name, const std::vector<Colour>& stops, const std::string& low, const std::string& high, float alpha,
                          const std::function<std::optional<float>(Cell)>& share, bool fades) {
    const auto coverage = [fades](float value) { return fades ? coverageOf(value) : 1.0f; };
    paintCells(alpha, [&](Cell c, float, float) -> std::optional<Paint> {
        const auto value = share(c);
        return value ? std::optional(Paint{ramp(stops, *value), coverage(*value)}) : std::nullopt;
    });
    addNote(name);
    // The bar as the eye meets it on the map: over grass.
    std::vector<Colour> shown;
    constexpr int kSteps = 16;
    for (int i = 0; i <= kSteps; ++i) {
        const float value = static_cast<float>(i) / kSteps, share_of_paint = alpha * coverage(value);
        const Colour paint = ramp(stops, value), grass = kTerrainColours[1].second;
        const auto mix = [share_of_paint](std::uint8_t over, std::uint8_t under) {
            return static_cast<std::uint8_t>(static_cast<float>(over) * share_of_paint + static_cast<float>(under) * (1.0f - share_of_paint) + 0.5f);
        };
        shown.push_back({mix(paint.red, grass.red), mix(paint.green, grass.green), mix(paint.blue, grass.blue)});
    }
    legend_.push_back({LegendLine::Kind::Scale, {}, low, high, shown, 0});
}

void MapPicture::drawColours(float alpha, const std::function<std::optional<Colour>(Cell)>& colour) {
    paintCells(alpha, [&](Cell c, float, float) -> std::optional<Paint> {
        const auto there = colour(c);
        return there ? std::optional(Paint{*there, 1.0f}) : std::nullopt;
    });
}

void MapPicture::drawRoute(const std::vector<Position>& points, const std::string& caption) {
    const int number = ++routes_;
    const Colour colour = kRouteColours[static_cast<std::size_t>(number - 1) % kRouteColours.size()];
    legend_.push_back({LegendLine::Kind::Route, colour, caption, {}, {}, number});
    if (points.empty()) return;
    const float thickness = std::clamp(scale_ * 0.45f, 3.0f, 6.0f);
    drawTrail(points, kWhite, thickness + 3.0f, 0.55f);
    drawTrail(points, colour, thickness, 1.0f);
    const Point start = toPixel(points.front()), goal = toPixel(points.back());
    const float size = std::clamp(scale_ * 0.8f, 7.0f, 11.0f);
    drawStart(canvas_, start, size);
    drawGoal(canvas_, goal, size);
    if (number == 1) {
        legend_.insert(legend_.end() - 1, {{LegendLine::Kind::Start, {}, "start", {}, {}, 0}, {LegendLine::Kind::Goal, {}, "goal", {}, {}, 0}});
    }
    // The number stands on the route, a different share of the way along for each.
    double length = 0.0;
    for (std::size_t i = 1; i < points.size(); ++i) length += std::hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
    double left = length * (0.5 + 0.06 * ((number & 1) != 0 ? number / 2 : -(number / 2)));
    Point label = toPixel(points[points.size() / 2]);
    for (std::size_t i = 1; i < points.size(); ++i) {
        const double step = std::hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
        if (left <= step) {
            const float t = step > 0.0 ? static_cast<float>(left / step) : 0.0f;
            label = toPixel({points[i - 1].x + (points[i].x - points[i - 1].x) * t, points[i - 1].y + (points[i].y - points[i - 1].y) * t});
            break;
        }
        left -= step;
    }
    const std::string digits = std::to_string(number);
    canvas_.disc(label, 12.0f, kWhite);
    canvas_.disc(label, 10.5f, colour);
    canvas_.text(static_cast<int>(label.x) - Picture::textWidth(digits, kTextScale) / 2 + 1, static_cast<int>(label.y) - 7, digits, kTextScale, kWhite);
}

void MapPicture::drawTrail(const std::vector<Position>& points, Colour colour, float thickness, float alpha) {
    // Each piece overlaps its neighbours at the joints; a faint trail is drawn on a copy so that it does not darken there.
    if (alpha >= 1.0f) {
        for (std::size_t i = 1; i < points.size(); ++i) canvas_.line(toPixel(points[i - 1]), toPixel(points[i]), thickness, colour);
        return;
    }
    Picture copy = canvas_;
    for (std::size_t i = 1; i < points.size(); ++i) copy.line(toPixel(points[i - 1]), toPixel(points[i]), thickness, colour);
    for (int y = 0; y < canvas_.height(); ++y)
        for (int x = 0; x < canvas_.width(); ++x) canvas_.blend(x, y, copy.at(x, y), alpha);
}

void MapPicture::drawDot(Position at, float radius_pixels, Colour colour) { canvas_.disc(toPixel(at), radius_pixels, colour); }

void MapPicture::drawCircle(Position centre, float radius_metres, Colour colour) {
    canvas_.ring(toPixel(centre), radius_metres * scale_, 1.5f, colour, 0.9f);
}

void MapPicture::drawArrow(Position from, Position to, float thickness, Colour colour) { canvas_.arrow(toPixel(from), toPixel(to), thickness, colour); }

void MapPicture::drawLine(Position from, Position to, float thickness, Colour colour, float alpha) {
    canvas_.line(toPixel(from), toPixel(to), thickness, colour, alpha);
}

void MapPicture::drawLabel(Position at, const std::string& text) {
    const Point p = toPixel(at);
    canvas_.disc(p, 5.0f, kWhite);
    canvas_.disc(p, 3.5f, kBlack);
    const int width = Picture::textWidth(text, kTextScale);
    const int right = static_cast<int>(p.x) + 10, left = static_cast<int>(p.x) - 10 - width;
    canvas_.textWithBorder(right + width < canvas_.width() ? right : left, static_cast<int>(p.y) - 7, text, kTextScale, kBlack, kWhite);
}

void MapPicture::drawEnemy(Position at, float reach_metres) {
    canvas_.ring(toPixel(at), reach_metres * scale_, 1.5f, {170, 0, 20}, 0.7f);
    drawEnemySign(canvas_, toPixel(at), std::clamp(scale_, 6.0f, 10.0f));
    if (!has_enemy_) legend_.push_back({LegendLine::Kind::Enemy, {}, "enemy and its reach", {}, {}, 0});
    has_enemy_ = true;
}

void MapPicture::drawCross(Position at, const std::string& caption) {
    const Point p = toPixel(at);
    const float r = std::clamp(scale_, 8.0f, 14.0f);
    for (const auto& [thickness, colour] : {std::pair{7.0f, kWhite}, std::pair{4.0f, Colour{200, 0, 0}}}) {
        canvas_.line({p.x - r, p.y - r}, {p.x + r, p.y + r}, thickness, colour);
        canvas_.line({p.x - r, p.y + r}, {p.x + r, p.y - r}, thickness, colour);
    }
    legend_.push_back({LegendLine::Kind::Cross, {200, 0, 0}, caption, {}, {}, 0});
}

void MapPicture::addLegend(Colour colour, const std::string& text) { legend_.push_back({LegendLine::Kind::Swatch, colour, text, {}, {}, 0}); }

void MapPicture::addNote(const std::string& text) { legend_.push_back({LegendLine::Kind::Note, kBlack, text, {}, {}, 0}); }

namespace {

/// Splits a caption at spaces so that no line exceeds `width` letters; words of one or two letters (units) stay with the word before.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
    std::vector<std::string> lines;
    std::string line;
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t space = std::min(text.find(' ', at), text.size());
        while (space < text.size() && std::min(text.find(' ', space + 1), text.size()) - space <= 3) space = std::min(text.find(' ', space + 1), text.size());
        const std::string word = text.substr(at, space - at);
        if (!line.empty() && line.size() + 1 + word.size() > width) {
            lines.push_back(line);
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
        at = space + 1;
    }
    if (!line.empty()) lines.push_back(line);
    return lines;
}

}  // namespace

Picture MapPicture::compose() const {
    constexpr std::size_t kLetters = (kLegendWidth - 40) / (6 * kTextScale);
    // The legend is laid out twice: once to measure it, once to draw it.
    const auto lay = [&](Picture* out, int left, int y) {
        for (const LegendLine& line : legend_) {
            const auto texts = wrapped(line.text, line.kind == LegendLine::Kind::Note ? kLetters + 2 : kLetters);
            const int height = std::max(1, static_cast<int>(texts.size())) * 20 + (kRow - 20);
            const float middle = static_cast<float>(y) + 8.0f;
            const int text_left = line.kind == LegendLine::Kind::Note ? left : left + 34;
            if (out != nullptr) {
                switch (line.kind) {
                    case LegendLine::Kind::Swatch:
                        out->fill(left, y - 2, 24, 18, line.colour);
                        out->frame(left, y - 2, 24, 18, {90, 90, 90});
                        break;
                    case LegendLine::Kind::Start: drawStart(*out, {static_cast<float>(left) + 12, middle}, 8); break;
                    case LegendLine::Kind::Goal: drawGoal(*out, {static_cast<float>(left) + 12, middle}, 8); break;
                    case LegendLine::Kind::Route: {
                        const std::string digits = std::to_string(line.number);
                        out->disc({static_cast<float>(left) + 12, middle}, 10.5f, line.colour);
                        out->text(left + 13 - Picture::textWidth(digits, kTextScale) / 2, y + 1, digits, kTextScale, kWhite);
                        break;
                    }
                    case LegendLine::Kind::Enemy: drawEnemySign(*out, {static_cast<float>(left) + 12, middle}, 8); break;
                    case LegendLine::Kind::Cross: {
                        const float x = static_cast<float>(left) + 12;
                        out->line({x - 7, middle - 7}, {x + 7, middle + 7}, 4, line.colour);
                        out->line({x - 7, middle + 7}, {x + 7, middle - 7}, 4, line.colour);
                        break;
                    }
                    case LegendLine::Kind::Scale: {
                        constexpr int kBar = kLegendWidth - 2 * kMargin;
                        for (int x = 0; x < kBar; ++x) out->fill(left + x, y - 4, 1, 14, ramp(line.stops, static_cast<float>(x) / (kBar - 1)));
                        out->frame(left, y - 4, kBar, 14, {90, 90, 90});
                        out->text(left, y + 15, line.text, kTextScale, kBlack);
                        out->text(left + kBar - Picture::textWidth(line.high, kTextScale), y + 15, line.high, kTextScale, kBlack);
                        break;
                    }
                    case LegendLine::Kind::Note: break;
                }
                if (line.kind != LegendLine::Kind::Scale) {
                    for (std::size_t i = 0; i < texts.size(); ++i)
                        out->text(text_left, y + static_cast<int>(i) * 20, texts[i], kTextScale, kBlack);
                }
            }
            y += line.kind == LegendLine::Kind::Scale ? 44 : height;
        }
        return y;
    };
    const int map_top = 2 * kMargin + 7 * kTextScale;
    const int below = 40;  // scale bar
    const int left = canvas_.width() + 2 * kMargin;
    const int height = std::max(map_top + canvas_.height() + below, lay(nullptr, left, map_top) + kMargin);
    Picture all(left + kLegendWidth, height, kWhite);
    const std::size_t title_letters = static_cast<std::size_t>(all.width() - 2 * kMargin) / (6 * kTextScale);
    all.text(kMargin, kMargin, view_.title.substr(0, title_letters), kTextScale, kBlack);
    all.paste(canvas_, kMargin, map_top);
    all.frame(kMargin - 1, map_top - 1, canvas_.width() + 2, canvas_.height() + 2, {60, 60, 60});
    // A round length near a fifth of the map.
    int metres = 1;
    for (const int step : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000})
        if (static_cast<float>(step) * scale_ <= static_cast<float>(canvas_.width()) / 4.0f + 1.0f) metres = step;
    const int bar = std::max(2, static_cast<int>(static_cast<float>(metres) * scale_)), bar_top = map_top + canvas_.height() + 14;
    all.fill(kMargin, bar_top, bar, 4, kBlack);
    all.fill(kMargin, bar_top - 4, 2, 12, kBlack);
    all.fill(kMargin + bar - 2, bar_top - 4, 2, 12, kBlack);
    all.text(kMargin + bar + 8, bar_top - 4, std::to_string(metres) + " m", kTextScale, kBlack);
    lay(&all, left, map_top);
    return all;
}

}  // namespace warpath::tool
