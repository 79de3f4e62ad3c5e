#include "warpath/io/world_binary.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <span>
#include <utility>

#include "io/text_input.h"
#include "warpath/core/hash.h"

// The file: "WARPATHW", version u32, bytes of the content u64, hash of the content u64, content.
// The content: size and origin, has_cover and fixed_terrain, rules, fill; per chunk in row order the layers terrain, obstacles, heights, congestion, each for the
// chunk's cells inside the map, row by row; per side the published threat; per side the threat sources.

namespace warpath {
namespace {

constexpr std::string_view kMagic = "WARPATHW";
constexpr std::size_t kHeaderBytes = 8 + 4 + 8 + 8;
constexpr std::size_t kMaxBinaryBytes = std::size_t{2} << 30;

enum class Encoding : std::uint8_t { One, Runs, Plain };

class Writer {
public:
    void u8(std::uint8_t v) { bytes.push_back(static_cast<char>(v)); }
    void u16(std::uint16_t v) { little(v, 2); }
    void u32(std::uint32_t v) { little(v, 4); }
    void u64(std::uint64_t v) { little(v, 8); }
    void i32(std::int32_t v) { u32(static_cast<std::uint32_t>(v)); }
    void f32(float v) { u32(std::bit_cast<std::uint32_t>(v)); }
    void text(std::string_view v) {
        u32(static_cast<std::uint32_t>(v.size()));
        bytes.append(v);
    }

    /// A layer of `width` bytes a value, in its shortest form.
    void layer(std::span<const std::uint32_t> values, int width) {
        std::size_t runs = 1;
        for (std::size_t i = 1; i < values.size(); ++i) runs += values[i] != values[i - 1] ? 1 : 0;
        if (runs == 1) {
            u8(static_cast<std::uint8_t>(Encoding::One));
            little(values[0], width);
        } else if (runs * static_cast<std::size_t>(width + 2) + 2 < values.size() * static_cast<std::size_t>(width)) {
            u8(static_cast<std::uint8_t>(Encoding::Runs));
            u16(static_cast<std::uint16_t>(runs));
            for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
                while (end < values.size() && values[end] == values[begin]) ++end;
                u16(static_cast<std::uint16_t>(end - begin));
                little(values[begin], width);
            }
        } else {
            u8(static_cast<std::uint8_t>(Encoding::Plain));
            const std::size_t begin = bytes.size();
            bytes.resize(begin + values.size() * static_cast<std::size_t>(width));
            char* at = bytes.data() + begin;
            for (const std::uint32_t v : values) {
                for (int i = 0; i < width; ++i) *at++ = static_cast<char>(v >> (8 * i));
            }
        }
    }

    std::string bytes;

private:
    void little(std::uint64_t v, int count) {
        for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(v >> (8 * i)));
    }
};

/// Reads what Writer wrote. After the first thing that does not fit, `ok()` is false and everything reads as 0.
class Reader {
public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    std::uint8_t u8() { return static_cast<std::uint8_t>(little(1)); }
    std::uint16_t u16() { return static_cast<std::uint16_t>(little(2)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(little(4)); }
    std::uint64_t u64() { return little(8); }
    std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
    float f32() { return std::bit_cast<float>(u32()); }
    std::string text() {
        const std::uint32_t size = u32();
        if (!need(size)) return {};
        std::string out(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return out;
    }

    /// Fills `values`, of 1 or 2 bytes. A value above `highest` does not fit.
    void layer(std::span<std::uint32_t> values, int width, std::uint32_t highest) {
        switch (static_cast<Encoding>(u8())) {
            case Encoding::One: std::fill(values.begin(), values.end(), value(width, highest)); return;
            case Encoding::Runs: {
                std::size_t at = 0;
                for (std::size_t runs = u16(); ok_ && runs > 0; --runs) {
                    const std::size_t count = u16();
                    if (count == 0 || count > values.size() - at) return fail();
                    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(at), count, value(width, highest));
                    at += count;
                }
                if (at != values.size()) fail();
                return;
            }
            case Encoding::Plain:
                if (need(values.size() * static_cast<std::size_t>(width))) plain(values, static_cast<std::size_t>(width), highest);
                return;
        }
        fail();
    }

    bool need(std::size_t bytes) {
        if (bytes > rest_.size()) fail();
        return ok_;
    }
    void fail() {
        ok_ = false;
        rest_ = {};
    }
    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] bool atEnd() const { return ok_ && rest_.empty(); }

private:
    /// @pre the bytes are there.
    void plain(std::span<std::uint32_t> values, std::size_t width, std::uint32_t highest) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(rest_.data());
        std::uint32_t largest = 0;
        for (std::uint32_t& v : values) {
            v = width == 1 ? bytes[0] : static_cast<std::uint32_t>(bytes[0] | bytes[1] << 8);
            bytes += width;
            largest = std::max(largest, v);
        }
        rest_.remove_prefix(values.size() * width);
        if (largest > highest) fail();
    }

    std::uint32_t value(int width, std::uint32_t highest) {
        const auto v = static_cast<std::uint32_t>(little(width));
        if (v > highest) fail();
        return v;
    }

    std::uint64_t little(int count) {
        if (!need(static_cast<std::size_t>(count))) return 0;
        std::uint64_t v = 0;
        for (int i = 0; i < count; ++i) v |= std::uint64_t{static_cast<unsigned char>(rest_[static_cast<std::size_t>(i)])} << (8 * i);
        rest_.remove_prefix(static_cast<std::size_t>(count));
        return v;
    }

    std::string_view rest_;
    bool ok_ = true;
};

std::uint64_t hashOf(std::string_view content) {
    Hash64 hash;
    hash.add(content);
    return hash.value();
}

void writeRules(const WorldRules& rules, Writer& out) {
    out.u8(static_cast<std::uint8_t>(rules.terrain_types.size()));
    for (const TerrainType& type : rules.terrain_types) {
        out.text(type.name);
        out.u8(static_cast<std::uint8_t>((type.is_road ? 1 : 0) | (type.is_water ? 2 : 0) | (type.closes_sight ? 4 : 0)));
    }
    out.u8(static_cast<std::uint8_t>(rules.unit_classes.size()));
    for (const UnitClass& unit : rules.unit_classes) {
        out.text(unit.name);
        out.f32(unit.speed);
        for (const float m : unit.multipliers) out.f32(m);
    }
    for (const float v : {rules.roads.prefer, rules.roads.avoid, rules.cover.full_height, rules.cover.detection_radius, rules.cover.eye_height}) out.f32(v);
}

void readRules(Reader& in, WorldRules& rules) {
    rules.terrain_types.clear();
    rules.unit_classes.clear();
    for (int count = in.u8(); in.ok() && count > 0; --count) {
        TerrainType type{.name = in.text()};
        const std::uint8_t flags = in.u8();
        if (flags > 7) in.fail();
        type.is_road = (flags & 1) != 0;
        type.is_water = (flags & 2) != 0;
        type.closes_sight = (flags & 4) != 0;
        rules.terrain_types.push_back(std::move(type));
    }
    for (int count = in.u8(); in.ok() && count > 0; --count) {
        UnitClass unit{.name = in.text(), .speed = in.f32(), .multipliers = {}};
        for (std::size_t i = 0; i < rules.terrain_types.size(); ++i) unit.multipliers.push_back(in.f32());
        rules.unit_classes.push_back(std::move(unit));
    }
    for (float* v : {&rules.roads.prefer, &rules.roads.avoid, &rules.cover.full_height, &rules.cover.detection_radius, &rules.cover.eye_height}) *v = in.f32();
}

/// The cells of a chunk that lie inside the map, in grid coordinates.
CellRect chunkRect(int width, int height, ChunkCoord c) { return intersect({c.x << kChunkShift, c.y << kChunkShift, kChunkSize, kChunkSize}, {0, 0, width, height}); }

template <class ValueAt>
void collect(const CellRect& rect, std::vector<std::uint32_t>& out, ValueAt&& valueAt) {
    out.clear();
    for (int y = rect.y; y < rect.y + rect.height; ++y) {
        for (int x = rect.x; x < rect.x + rect.width; ++x) out.push_back(valueAt(localIndex(x, y)));
    }
}

/// The terrain of most chunks that hold nothing else, flat at height 0: what loading can leave untouched. The lowest of equals.
std::uint8_t commonFill(const WorldSnapshot& s) {
    std::array<std::uint32_t, kMaxTerrainTypes> chunks{};
    for (int cy = 0; cy < s.chunkRows(); ++cy) {
        for (int cx = 0; cx < s.chunkColumns(); ++cx) {
            const ChunkGround& ground = s.ground({cx, cy});
            const CellRect rect = chunkRect(s.width(), s.height(), {cx, cy});
            const std::uint8_t first = ground.terrain[0];
            bool plain = true;
            for (int y = rect.y; plain && y < rect.y + rect.height; ++y) {
                for (int x = rect.x; plain && x < rect.x + rect.width; ++x) {
                    const int i = localIndex(x, y);
                    plain = ground.terrain[static_cast<std::size_t>(i)] == first && ground.obstacle[static_cast<std::size_t>(i)] == 0 && ground.elevationCm(i) == 0;
                }
            }
            chunks[first] += plain ? 1 : 0;
        }
    }
    return static_cast<std::uint8_t>(std::max_element(chunks.begin(), chunks.end()) - chunks.begin());
}

void writeThreat(const WorldSnapshot& s, Writer& out) {
    for (int side = 0; side < kMaxSides; ++side) {
        std::uint32_t count = 0;
        for (int cy = 0; cy < s.chunkRows(); ++cy) {
            for (int cx = 0; cx < s.chunkColumns(); ++cx) count += s.threat(side, {cx, cy}) != nullptr ? 1 : 0;
        }
        out.u32(count);
        for (int cy = 0; count > 0 && cy < s.chunkRows(); ++cy) {
            for (int cx = 0; cx < s.chunkColumns(); ++cx) {
                const ThreatChunk* threat = s.threat(side, {cx, cy});
                if (threat == nullptr) continue;
                out.u32(static_cast<std::uint32_t>(cy * s.chunkColumns() + cx));
                out.u8(threat->resolution_shift);
                std::vector<std::uint32_t> values(threat->values.begin(), threat->values.end());
                out.layer(values, 2);
                for (const auto* blocks : {&threat->block_mean, &threat->block_max}) {
                    values.assign(blocks->begin(), blocks->end());
                    out.layer(values, 2);
                }
            }
        }
    }
}

void readThreat(Reader& in, const WorldSnapshot& s, WorldEdit& edit) {
    const auto chunks = static_cast<std::uint32_t>(s.chunkColumns() * s.chunkRows());
    std::vector<std::uint32_t> values;
    for (int side = 0; side < kMaxSides; ++side) {
        std::uint32_t next = 0;  // chunks come in order
        for (std::uint32_t count = in.u32(); in.ok() && count > 0; --count) {
            const std::uint32_t index = in.u32();
            const std::uint8_t shift = in.u8();
            if (index < next || index >= chunks || shift > 3) return in.fail();
            next = index + 1;
            auto threat = std::make_shared<ThreatChunk>();
            threat->resolution_shift = shift;
            values.resize(static_cast<std::size_t>(kChunkSize >> shift) * static_cast<std::size_t>(kChunkSize >> shift));
            in.layer(values, 2, kMaxStoredThreat);
            threat->values.assign(values.begin(), values.end());
            for (auto* blocks : {&threat->block_mean, &threat->block_max}) {
                values.resize(blocks->size());
                in.layer(values, 2, kMaxStoredThreat);
                std::copy(values.begin(), values.end(), blocks->begin());
            }
            if (!in.ok()) return;
            const auto columns = static_cast<std::uint32_t>(s.chunkColumns());
            edit.setThreat(side, {static_cast<std::int32_t>(index % columns), static_cast<std::int32_t>(index / columns)}, std::move(threat));
        }
    }
}

/// One chunk's ground and congestion. @return false when the content does not fit.
bool readChunk(Reader& in, const WorldSnapshot& s, ChunkCoord c, WorldEdit& edit) {
    const CellRect grid = chunkRect(s.width(), s.height(), c);
    const CellRect rect{grid.x + s.origin().x, grid.y + s.origin().y, grid.width, grid.height};
    const std::size_t cells = static_cast<std::size_t>(grid.width) * static_cast<std::size_t>(grid.height);
    std::vector<std::uint32_t> terrain(cells), obstacle(cells), relief(cells), congestion(cells);
    in.layer(terrain, 1, static_cast<std::uint32_t>(s.rules().terrain_types.size() - 1));
    in.layer(obstacle, 2, 0xffff);
    const std::int32_t base_cm = in.i32();
    in.layer(relief, 2, 0xffff);
    in.layer(congestion, 2, 6400);
    if (base_cm < -2'000'000 || base_cm > 2'000'000) in.fail();
    if (!in.ok()) return false;

    const auto is = [](std::uint32_t wanted) { return [wanted](std::uint32_t v) { return v == wanted; }; };
    const auto fill = static_cast<std::uint32_t>(s.terrainAt({s.origin().x, s.origin().y}));  // of a world not yet edited
    if (!std::all_of(terrain.begin(), terrain.end(), is(fill)) || !std::all_of(obstacle.begin(), obstacle.end(), is(0))) {
        std::vector<Terrain> terrains(cells);
        std::transform(terrain.begin(), terrain.end(), terrains.begin(), [](std::uint32_t v) { return static_cast<Terrain>(v); });
        const std::vector<PackedObstacle> obstacles(obstacle.begin(), obstacle.end());
        edit.setCells(rect, terrains, obstacles);
    }
    if (base_cm != 0 || !std::all_of(relief.begin(), relief.end(), is(0))) {
        std::vector<float> heights(cells);
        std::transform(relief.begin(), relief.end(), heights.begin(),
                       [&](std::uint32_t v) { return static_cast<float>(static_cast<double>(base_cm + static_cast<std::int32_t>(v)) / 100.0); });
        edit.setElevation(rect, heights);
    }
    for (std::size_t i = 0; i < cells; ++i) {
        if (congestion[i] == 0) continue;
        const auto column = static_cast<std::int32_t>(i % static_cast<std::size_t>(rect.width)), row = static_cast<std::int32_t>(i / static_cast<std::size_t>(rect.width));
        edit.setCongestion({rect.x + column, rect.y + row}, static_cast<float>(congestion[i]) / 100.0f);
    }
    return true;
}

std::string hexText(std::uint64_t v) {
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(v));
    return text;
}

}  // namespace

std::string writeWorldBinary(const WorldSnapshot& s, const ThreatsBySide& threats) {
    Writer out;
    out.bytes.resize(kHeaderBytes);
    out.u32(static_cast<std::uint32_t>(s.width()));
    out.u32(static_cast<std::uint32_t>(s.height()));
    out.i32(s.origin().x);
    out.i32(s.origin().y);
    out.u8(static_cast<std::uint8_t>((s.state().has_cover ? 1 : 0) | (s.rules().fixed_terrain ? 2 : 0)));
    writeRules(s.rules(), out);
    out.u8(commonFill(s));

    std::vector<std::uint32_t> values;
    for (int cy = 0; cy < s.chunkRows(); ++cy) {
        for (int cx = 0; cx < s.chunkColumns(); ++cx) {
            const ChunkGround& ground = s.ground({cx, cy});
            const CongestionChunk* congestion = s.congestion({cx, cy});
            const CellRect rect = chunkRect(s.width(), s.height(), {cx, cy});
            collect(rect, values, [&](int i) { return std::uint32_t{ground.terrain[static_cast<std::size_t>(i)]}; });
            out.layer(values, 1);
            collect(rect, values, [&](int i) { return std::uint32_t{ground.obstacle[static_cast<std::size_t>(i)]}; });
            out.layer(values, 2);
            std::int32_t lowest = INT32_MAX;
            collect(rect, values, [&](int i) {
                lowest = std::min(lowest, ground.elevationCm(i));
                return 0u;
            });
            collect(rect, values, [&](int i) { return static_cast<std::uint32_t>(ground.elevationCm(i) - lowest); });
            out.i32(lowest);
            out.layer(values, 2);
            collect(rect, values, [&](int i) { return congestion != nullptr ? std::uint32_t{congestion->value[static_cast<std::size_t>(i)]} : 0u; });
            out.layer(values, 2);
        }
    }
    writeThreat(s, out);
    for (const std::vector<ThreatSource>& sources : threats) {
        out.u32(static_cast<std::uint32_t>(sources.size()));
        for (const ThreatSource& source : sources) {
            out.u32(source.id);
            for (const float v : {source.position.x, source.position.y, source.range, source.firepower}) out.f32(v);
        }
    }

    const std::string_view content = std::string_view(out.bytes).substr(kHeaderBytes);
    Writer header;
    header.bytes = kMagic;
    header.u32(kWorldBinaryVersion);
    header.u64(content.size());
    header.u64(hashOf(content));
    std::copy(header.bytes.begin(), header.bytes.end(), out.bytes.begin());
    return std::move(out.bytes);
}

std::variant<LoadedWorld, Error> parseWorldBinary(std::string_view bytes, std::string_view name) {
    const auto fail = [&](std::string value, std::string remedy) { return Error{std::string(name), std::move(value), std::move(remedy)}; };
    if (bytes.empty()) return fail("an empty file", "name a world saved by this library");
    if (bytes.substr(0, kMagic.size()) != kMagic) return fail("begins with " + quotedText(bytes.substr(0, kMagic.size())), "name a world saved by this library");
    Reader header(bytes.substr(kMagic.size()));
    const std::uint32_t version = header.u32();
    const std::uint64_t size = header.u64(), hash = header.u64();
    if (!header.ok()) return fail("ends inside the header", "the file was cut short: copy or save it again");
    if (version != kWorldBinaryVersion) {
        return fail("version " + std::to_string(version), "this build reads version " + std::to_string(kWorldBinaryVersion) + ": save the world again with it");
    }
    const std::string_view content = bytes.substr(kHeaderBytes);
    if (content.size() != size) {
        return fail(std::to_string(content.size()) + " bytes of content instead of " + std::to_string(size),
                    content.size() < size ? "the file was cut short: copy or save it again" : "remove what follows the world, or save it again");
    }
    if (const std::uint64_t found = hashOf(content); found != hash) {
        return fail("content hash " + hexText(found) + " instead of " + hexText(hash), "the file was damaged: copy or save it again");
    }

    const auto makesNoWorld = [&] { return fail("content that makes no world", "the file was not written by this library: save the world again"); };
    Reader in(content);
    WorldConfig config;
    const std::uint32_t width = in.u32(), height = in.u32();
    if (width > kMaxWorldSize || height > kMaxWorldSize) return makesNoWorld();
    config.width = static_cast<std::int32_t>(width);
    config.height = static_cast<std::int32_t>(height);
    config.origin.x = in.i32();
    config.origin.y = in.i32();
    const std::uint8_t flags = in.u8();
    config.has_cover = (flags & 1) != 0;
    config.rules.fixed_terrain = (flags & 2) != 0;
    readRules(in, config.rules);
    config.fill = static_cast<Terrain>(in.u8());
    if (!in.ok() || flags > 3) return makesNoWorld();
    if (auto error = World::check(config)) return fail(error->text(), "the file was not written by this library: save the world again");

    LoadedWorld loaded;
    loaded.world = std::make_unique<World>(config);
    const WorldSnapshot before = loaded.world->snapshot();
    const EditResult done = loaded.world->edit([&](WorldEdit& edit) {
        for (int cy = 0; cy < before.chunkRows(); ++cy) {
            for (int cx = 0; cx < before.chunkColumns(); ++cx) {
                if (!readChunk(in, before, {cx, cy}, edit)) return;
            }
        }
        readThreat(in, before, edit);
    });
    if (!in.ok() || done.error) return makesNoWorld();
    for (std::vector<ThreatSource>& sources : loaded.threats) {
        const std::uint32_t count = in.u32();
        if (!in.need(std::size_t{count} * 20)) return makesNoWorld();
        sources.resize(count);
        for (ThreatSource& source : sources) {
            source.id = in.u32();
            for (float* v : {&source.position.x, &source.position.y, &source.range, &source.firepower}) *v = in.f32();
            const bool sound = isUsable(source.position) && source.range >= kMinThreatRange && source.range <= kMaxThreatRange && source.firepower >= 0.0f &&
                               source.firepower <= kMaxFirepower;
            if (!sound) return makesNoWorld();
        }
    }
    if (!in.atEnd()) return makesNoWorld();
    return loaded;
}

std::optional<Error> saveWorldBinary(const std::string& path, const WorldSnapshot& snapshot, const ThreatsBySide& threats) {
    return writeFile(path, writeWorldBinary(snapshot, threats));
}

std::variant<LoadedWorld, Error> loadWorldBinary(const std::string& path) {
    auto bytes = readFile(path, kMaxBinaryBytes);
    if (auto* error = std::get_if<Error>(&bytes)) return std::move(*error);
    return parseWorldBinary(std::get<std::string>(bytes), path);
}

}  // namespace warpath
