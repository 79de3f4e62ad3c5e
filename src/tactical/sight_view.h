// Fields of view as windows of bits around a grid cell, with a cache of the chunks' closing cells: what fieldOfView() and ThreatMap share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tactical/horizon_view.h"
#include "tactical/shadow_cast.h"
#include "warpath/world/snapshot.h"

namespace warpath::sight {

/// The cells of a chunk whose obstacle is at least as high as asked, by rows and by columns.
struct ClosingBits {
    std::uint64_t revision = 0;  ///< Of the ground record.
    bool any = false;
    std::uint64_t rows[kChunkSize];
    std::uint64_t columns[kChunkSize];
};

/// Bit rows of the chunks of one world for one obstacle height, built when first asked for.
class ClosingCache {
public:
    /// Makes ready for a world and a height; what was kept for others is dropped, and everything after many chunks.
    void prepare(const WorldSnapshot& snapshot, int height_cm);
    /// Null when the chunk closes nothing. The pointer holds until the next prepare().
    const ClosingBits* bits(const WorldSnapshot& snapshot, ChunkCoord chunk);

private:
    static constexpr std::size_t kLimit = 8192;  // chunks kept: 8 MiB
    std::uint64_t world_id_ = 0;
    int height_cm_ = -1;
    std::size_t kept_ = 0;
    std::vector<std::unique_ptr<ClosingBits>> chunks_;
};

/// Heights of the two ends above their ground, in centimetres.
struct HeightsCm {
    int eye = 170;
    int target = 170;
};

struct ViewScratch {
    ClosingCache cache;
    ShadowScratch shadows;
    BitWindow rows, columns;
    HeightWindow heights;  // for windows that are not level
    HorizonScratch horizons;

    // The view under way.
    enum class Stage { None, FillBits, Shadows, FillHeights, Horizons };
    Stage stage = Stage::None;
    WorldSnapshot snapshot;
    int x = 0, y = 0, radius = 0;
    HeightsCm ends;
    Extents extents;
    int line = 0;          // of what is filled next
    bool any = false;      // whether a chunk near closes anything
    bool sees_all = false; // the result: nothing near closes any line
};

/// How far a window around a grid cell is looked at: to the ends of the map (rounded up to whole threat cells), and to the observer itself.
Extents extentsOf(const WorldSnapshot& snapshot, int x, int y, int radius);

/// Begins to find every cell of the square of the radius that the observer sees; grid coordinates, which may lie outside the map.
/// Keeps the snapshot until the view is complete or another is begun.
void beginView(const WorldSnapshot& snapshot, int x, int y, int radius, HeightsCm heights, ViewScratch& scratch);

/// Goes on while `left` is above 0 and takes from it what was done, in cells looked at. Bits beyond the extents mean nothing.
/// @return whether `out` is complete. scratch.sees_all tells when nothing near closes any line: all bits are set then.
bool continueView(ViewScratch& scratch, BitWindow& out, std::int64_t& left);

/// Both in one go. @return scratch.sees_all.
bool view(const WorldSnapshot& snapshot, int x, int y, int radius, HeightsCm heights, ViewScratch& scratch, BitWindow& out);

/// lineOfSight() in grid coordinates.
bool line(const WorldSnapshot& snapshot, int x0, int y0, int x1, int y1, HeightsCm heights);

}  // namespace warpath::sight
