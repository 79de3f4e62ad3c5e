#include "flow_tool.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "warpath/flow/fast_marching.h"
#include "warpath/flow/flow_builder.h"

namespace warpath::tool {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class Visit>
void forEachCell(const CellRect& area, const Visit& visit) {
    for (int y = area.y; y < area.y + area.height; ++y) {
        for (int x = area.x; x < area.x + area.width; ++x) visit(Cell{x, y});
    }
}

/// Metres at f = 1; infinite where no way leads.
float metresAt(const FlowField& field, Cell c) {
    const Cost cost = field.distance(c);
    return cost == kNoFlowDistance ? kInfinity : static_cast<float>(costInMetres(cost));
}

/// 1, 2 or 5 times a power of ten, so that `most` holds about twenty of them.
float contourStep(float most) {
    float step = 1.0f;
    while (step * 20.0f < most) {
        if (step * 40.0f >= most) return step * 2.0f;
        if (step * 100.0f >= most) return step * 5.0f;
        step *= 10.0f;
    }
    return step;
}

/// Lines of equal distance, by marching squares between the centres of cells.
void drawContours(MapPicture& picture, const FlowField& field, const CellRect& area, float step, Position offset) {
    forEachCell({area.x, area.y, area.width - 1, area.height - 1}, [&](Cell c) {
        const Cell corners[4] = {c, {c.x + 1, c.y}, {c.x + 1, c.y + 1}, {c.x, c.y + 1}};
        float values[4];
        for (int i = 0; i < 4; ++i) {
            values[i] = metresAt(field, corners[i]);
            if (values[i] == kInfinity) return;
        }
        const float low = *std::min_element(values, values + 4), high = *std::max_element(values, values + 4);
        for (float level = std::ceil(low / step) * step; level < high; level += step) {
            if (level <= 0.0f) continue;
            Position crossings[4];
            int count = 0;
            for (int i = 0; i < 4; ++i) {
                const int k = (i + 1) & 3;
                if ((values[i] < level) == (values[k] < level)) continue;
                const float share = (level - values[i]) / (values[k] - values[i]);
                crossings[count++] = {static_cast<float>(corners[i].x) + static_cast<float>(corners[k].x - corners[i].x) * share + offset.x,
                                      static_cast<float>(corners[i].y) + static_cast<float>(corners[k].y - corners[i].y) * share + offset.y};
            }
            for (int i = 0; i + 1 < count; i += 2) picture.drawLine(crossings[i], crossings[i + 1], 1.2f, kBlack, 0.45f);
        }
    });
}

}  // namespace

std::optional<FlowKind> flowKindByName(const std::string& name) {
    if (name == "dijkstra") return FlowKind::Dijkstra;
    if (name == "fmm") return FlowKind::March1;
    if (name == "fmm2") return FlowKind::March2;
    return std::nullopt;
}

FlowRun computeFlow(const WorldSnapshot& snapshot, const FlowRequest& request, FlowKind kind, const std::shared_ptr<TileStore>& store, int repeat) {
    FlowBuilder builder;
    FastMarching marching;
    FlowRun run;
    for (int i = 0; i < repeat; ++i) {
        const bool dijkstra = kind == FlowKind::Dijkstra;
        const bool open = dijkstra ? builder.begin(snapshot, request, store)
                                   : marching.begin(snapshot, request, store, kind == FlowKind::March1 ? MarchOrder::First : MarchOrder::Second);
        const auto begin = std::chrono::steady_clock::now();
        if (open && dijkstra) builder.integrate();
        if (open && !dijkstra) marching.integrate();
        run.answer = dijkstra ? builder.finish() : marching.finish();
        const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        run.milliseconds = i == 0 ? ms : std::min(run.milliseconds, ms);
    }
    return run;
}

std::size_t reachableCells(const FlowField& field) {
    std::size_t count = 0;
    forEachCell(field.area(), [&](Cell c) { count += isFlowWay(field.direction(c)) ? 1 : 0; });
    return count;
}

void addFlowField(Hash64& hash, const FlowField& field) {
    hash.add(field.info().goals.size());
    forEachCell(field.area(), [&](Cell c) {
        hash.addByte(field.byteAt(c));
        hash.add(field.distance(c));
        const Vec2 v = field.vector(c);
        hash.add((std::uint64_t{std::bit_cast<std::uint32_t>(v.x + 0.0f)} << 32) | std::bit_cast<std::uint32_t>(v.y + 0.0f));
    });
}

void drawFlow(MapPicture& picture, const FlowField& field) {
    const CellRect area = intersect(picture.area(), field.area());
    float most = 1.0f;
    forEachCell(area, [&](Cell c) {
        const float metres = metresAt(field, c);
        if (metres != kInfinity) most = std::max(most, metres);
    });
    const float step = contourStep(most);
    picture.drawHeat("distance to the goal [m at f = 1]", distanceRamp(), "0", std::to_string(static_cast<int>(most + 0.5f)), 0.6f, [&](Cell c) -> std::optional<float> {
        const float metres = metresAt(field, c);
        return metres == kInfinity ? std::nullopt : std::optional(metres / most);
    });
    const float half = 0.5f * static_cast<float>(field.unitSize());
    drawContours(picture, field, area, step, {half, half});

    // One arrow about every 24 pixels, in the middle of its part of the map.
    const float scale = picture.pixelsPerCell();
    const int every = std::max(1, static_cast<int>(std::ceil(24.0f / scale)));
    const float reach = 0.36f * std::max(static_cast<float>(every), 12.0f / scale);
    for (int y = area.y + every / 2; y < area.y + area.height; y += every) {
        for (int x = area.x + every / 2; x < area.x + area.width; x += every) {
            if (!isFlowArrow(field.direction({x, y}))) continue;
            const Vec2 v = field.vector({x, y});
            const Position at{static_cast<float>(x) + half, static_cast<float>(y) + half};
            picture.drawArrow({at.x - v.x * reach, at.y - v.y * reach}, {at.x + v.x * reach, at.y + v.y * reach}, 1.4f, kWhite);
        }
    }
    for (const Cell goal : field.info().goals) {
        const Position at{static_cast<float>(goal.x) + half, static_cast<float>(goal.y) + half};
        picture.drawDot(at, std::clamp(scale * 0.6f, 3.0f, 9.0f), kWhite);
        picture.drawDot(at, std::clamp(scale * 0.6f, 3.0f, 9.0f) - 1.5f, {200, 0, 0});
    }
    picture.addLegend({200, 0, 0}, field.info().redirected ? "nearest to the goal" : field.info().goals.size() == 1 ? "goal" : "goals");
    picture.addNote("lines every " + std::to_string(static_cast<int>(step)) + " m");
}

}  // namespace warpath::tool
