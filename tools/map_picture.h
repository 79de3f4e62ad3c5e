// A picture of a world: layers over its terrain, routes with markers, and a legend at the side.
//
//   MapPicture picture(snapshot, {.title = "arena"});
//   picture.drawTerrain();
//   picture.drawRoute(path.cells, "cautious, cost 120.5");
//   if (auto error = picture.writePng("out.png")) ...
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "picture.h"
#include "warpath/core/types.h"
#include "warpath/world/snapshot.h"

namespace warpath::tool {

struct MapView {
    std::string title;
    CellRect area{};            ///< What is shown [world cells] [empty: the whole map].
    int target_pixels = 1100;   ///< The longer side of the map's part of the picture, at most [pixels].
};

/// Layers are drawn in the order of the calls, each over the one before.
class MapPicture {
public:
    MapPicture(const WorldSnapshot& snapshot, const MapView& view);

    /// Terrain colours with hill shading, obstacles with shadows; the legend lists what occurs.
    void drawTerrain();

    /// Paints a value per cell over the ground. `share` gives 0..1, or nothing for a cell without a value. The legend's bar
    /// shows the scale as it looks over grass. With `fades` small values are painted thinly, so that the ground can be told under them.
    /// @param low, high texts under the ends of the scale in the legend.
    void drawHeat(const std::string& name, const std::vector<Colour>& stops, const std::string& low, const std::string& high, float alpha,
                  const std::function<std::optional<float>(Cell)>& share, bool fades = false);
    /// Paints a colour per cell; nothing leaves the ground.
    void drawColours(float alpha, const std::function<std::optional<Colour>(Cell)>& colour);

    /// A numbered route with markers at both ends. Colours follow the number.
    void drawRoute(const std::vector<Position>& points, const std::string& caption);
    /// A faint line without number or markers.
    void drawTrail(const std::vector<Position>& points, Colour colour, float thickness, float alpha);
    void drawDot(Position at, float radius_pixels, Colour colour);
    void drawCircle(Position centre, float radius_metres, Colour colour);
    void drawArrow(Position from, Position to, float thickness, Colour colour);
    void drawLine(Position from, Position to, float thickness, Colour colour, float alpha);
    /// A name beside a place, with a small dot on it.
    void drawLabel(Position at, const std::string& text);
    /// An enemy and a thin ring at its reach; the legend explains the sign once.
    void drawEnemy(Position at, float reach_metres);
    /// A cross where something went wrong, named in the legend.
    void drawCross(Position at, const std::string& caption);

    void addLegend(Colour colour, const std::string& text);
    void addNote(const std::string& text);

    /// Map, frame, scale bar and legend in one picture.
    [[nodiscard]] Picture compose() const;
    [[nodiscard]] std::optional<Error> writePng(const std::string& path) const { return compose().writePng(path); }

    [[nodiscard]] float pixelsPerCell() const { return scale_; }
    [[nodiscard]] const CellRect& area() const { return area_; }
    [[nodiscard]] Point toPixel(Position p) const {
        return {(p.x - static_cast<float>(area_.x)) * scale_, (p.y - static_cast<float>(area_.y)) * scale_};
    }

private:
    struct LegendLine {
        enum class Kind { Swatch, Start, Goal, Route, Scale, Note, Cross, Enemy } kind;
        Colour colour;
        std::string text;
        std::string high;             // Scale
        std::vector<Colour> stops;    // Scale
        int number = 0;               // Route
    };
    /// Blends each pixel with the mean of what sample(cell, x in the cell, y in the cell) returns: a colour, or nothing for "leave as it is".
    template <class Sample>
    void paintCells(float alpha, const Sample& sample);

    WorldSnapshot snapshot_;
    MapView view_;
    CellRect area_;
    float scale_;      // pixels per cell
    int samples_ = 1;  // per pixel and axis, where cells are smaller than pixels
    Picture canvas_;
    std::vector<LegendLine> legend_;
    int routes_ = 0;
    bool has_enemy_ = false;
};

/// The part of the map around some positions, with a margin; the whole map when it is small or the part would be most of it.
[[nodiscard]] CellRect areaAround(const WorldSnapshot& snapshot, const std::vector<Position>& points);

/// Colours of a terrain type: the ten of the default set by name, others by their mean cost.
[[nodiscard]] Colour terrainColour(const WorldRules& rules, Terrain terrain);

/// Colours for things that are told apart by number.
[[nodiscard]] Colour distinctColour(std::uint64_t number);

/// Ramps: danger (yellow to dark red), shelter (pale to deep green), distance (dark blue over green to yellow).
[[nodiscard]] const std::vector<Colour>& dangerRamp();
[[nodiscard]] const std::vector<Colour>& shelterRamp();
[[nodiscard]] const std::vector<Colour>& distanceRamp();

}  // namespace warpath::tool
