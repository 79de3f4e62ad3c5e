// Filling a chunk's plan, apart from the running costs. Plain loops that every backend's file compiles (and vectorises) for itself.
#pragma once

#include <cstring>

#include "grid/chunk_kernel_detail.h"

namespace warpath::chunk_kernel {
namespace {

/// Bit k of out[c]: the step from the neighbour in direction k onto c is legal. Nothing comes from outside.
[[maybe_unused]] void mirrorMoves(const std::uint8_t* __restrict moves, std::uint8_t* __restrict out) {
    constexpr int kSide = kChunkKernelSide, kStride = kSide + 16, kOrigin = kStride + 8;
    alignas(64) std::uint8_t turned[kStride * (kSide + 2)] = {};  // each mask with opposite directions exchanged, in a rim of zeros
    for (int y = 0; y < kSide; ++y) {
        std::uint8_t* t = turned + kOrigin + y * kStride;
        const std::uint8_t* m = moves + y * kSide;
        for (int x = 0; x < kSide; ++x) t[x] = static_cast<std::uint8_t>((m[x] << 4) | (m[x] >> 4));
    }
    for (int y = 0; y < kSide; ++y) {
        const std::uint8_t* t = turned + kOrigin + y * kStride;
        std::uint8_t* o = out + y * kSide;
        for (int x = 0; x < kSide; ++x) {
            o[x] = static_cast<std::uint8_t>((t[x + 1] & 1) | (t[x + kStride + 1] & 2) | (t[x + kStride] & 4) | (t[x + kStride - 1] & 8) |
                                             (t[x - 1] & 16) | (t[x - kStride - 1] & 32) | (t[x - kStride] & 64) |
                                             (t[x - kStride + 1] & 128));
        }
    }
}

/// The moves without those that leave the chunk.
[[maybe_unused]] void keepInside(const std::uint8_t* moves, std::uint8_t* out) {
    constexpr int kSide = kChunkKernelSide;
    std::memcpy(out, moves, kChunkKernelCells);
    for (int i = 0; i < kSide; ++i) {
        out[i] &= 0x1f;                        // north: no NW, N, NE
        out[(kSide - 1) * kSide + i] &= 0xf1;  // south: no SE, S, SW
        out[i * kSide] &= 0xc7;                // west: no SW, W, NW
        out[i * kSide + kSide - 1] &= 0x7c;    // east: no NE, E, SE
    }
}

/// Notes the rows that can be entered from above and below without looking at masks: every step is legal but those from outside the chunk.
/// True when every step inside the chunk is legal.
[[maybe_unused]] bool noteOpenRows(ChunkSweepPlan& plan) {
    constexpr std::uint8_t kFirst[8] = {0xc7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};  // a row's first cell has no SW, W and NW,
    constexpr std::uint8_t kLast[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7c};   // its last no SE, E and NE
    constexpr std::uint64_t kEach = 0x0101010101010101ull;
    std::uint64_t first, last;
    std::memcpy(&first, kFirst, sizeof first);
    std::memcpy(&last, kLast, sizeof last);
    std::uint64_t open_along = 0;
    plan.open_from_above = plan.open_from_below = 0;
    for (int y = 0; y < kChunkKernelSide; ++y) {
        std::uint64_t word[8];
        std::memcpy(word, plan.closed + y * kChunkKernelSide, sizeof word);
        const std::uint64_t closed = (word[0] & first) | word[1] | word[2] | word[3] | word[4] | word[5] | word[6] | (word[7] & last);
        plan.open_from_above |= std::uint64_t{(closed & (0xe0 * kEach)) == 0} << y;
        plan.open_from_below |= std::uint64_t{(closed & (0x0e * kEach)) == 0} << y;
        open_along |= std::uint64_t{(closed & (0x11 * kEach)) == 0} << y;
    }
    return open_along == ~std::uint64_t{0} && (plan.open_from_above | 1) == ~std::uint64_t{0} &&
           (plan.open_from_below | (std::uint64_t{1} << 63)) == ~std::uint64_t{0};
}

/// Octile distances from one cell of a chunk with plan.uniform_f. They fit: 63 diagonal steps at the largest f are below 2^32.
[[maybe_unused]] void octileDistances(const ChunkSweepPlan& plan, int source, std::uint32_t* __restrict dist) {
    constexpr int kSide = kChunkKernelSide;
    const int source_x = source % kSide, source_y = source / kSide;
    const std::uint32_t straight = plan.straight_length * plan.uniform_f;
    const std::uint32_t extra = (plan.diagonal_length - plan.straight_length) * plan.uniform_f;  // of a diagonal over a straight step
    for (int y = 0; y < kSide; ++y) {
        const std::int32_t dy = y < source_y ? source_y - y : y - source_y;
        for (int x = 0; x < kSide; ++x) {
            const std::int32_t dx = x < source_x ? source_x - x : x - source_x;
            dist[y * kSide + x] = static_cast<std::uint32_t>(dx > dy ? dx : dy) * straight + static_cast<std::uint32_t>(dx > dy ? dy : dx) * extra;
        }
    }
}

/// The largest height difference of a step that is legal one way or the other.
[[maybe_unused]] std::uint32_t steepestStep(const ChunkSweepPlan& plan) {
    constexpr int kSide = kChunkKernelSide;
    const std::int32_t* heights = plan.heights + ChunkSweepPlan::kPad;
    std::uint32_t most = 0;
    constexpr int kOffset[4] = {1, kSide + 1, kSide, kSide - 1};  // E, SE, S, SW
    for (int direction = 0; direction < 4; ++direction) {
        const int last_row = direction == 0 ? kSide : kSide - 1, offset = kOffset[direction];
        const int first_x = direction == 3 ? 1 : 0, end_x = direction < 2 ? kSide - 1 : kSide;
        for (int y = 0; y < last_row; ++y) {
            for (int cell = y * kSide + first_x; cell < y * kSide + end_x; ++cell) {
                const std::int32_t dz = heights[cell + offset] - heights[cell];
                const std::uint32_t climb = static_cast<std::uint32_t>(dz < 0 ? -dz : dz);
                const std::uint32_t open = (~std::uint32_t{plan.closed[cell]} >> direction) | (~std::uint32_t{plan.closed[cell + offset]} >> (direction + 4));
                const std::uint32_t counted = climb & (0u - (open & 1u));
                most = counted > most ? counted : most;
            }
        }
    }
    return most;
}

/// Fills all but the running costs. Returns the largest step (which may not fit plan.max_step when the heights break their limit).
[[maybe_unused]] std::uint64_t fillPlan(const ChunkKernelInput& input, TravelDirection direction, ChunkSweepPlan& plan) {
    constexpr int kPad = ChunkSweepPlan::kPad, kCells = kChunkKernelCells;
    plan.direction = direction;
    plan.rises = input.heights != nullptr;
    plan.climb_weight = plan.rises ? input.climb_weight : 0;
    plan.too_steep = false;
    std::memset(plan.f, 0, kPad * sizeof *plan.f);
    std::memcpy(plan.f + kPad, input.f, kCells * sizeof *plan.f);
    std::memset(plan.f + kPad + kCells, 0, kPad * sizeof *plan.f);

    // Where distances come from, and where they go: the moves and their mirror image, exchanged when distances flow against the travel.
    alignas(64) std::uint8_t mirrored[kCells], pull[kCells];
    mirrorMoves(input.moves, mirrored);
    if (direction == TravelDirection::from_sources) {
        keepInside(input.moves, plan.push);
        std::memcpy(pull, mirrored, kCells);
    } else {
        std::memcpy(plan.push, mirrored, kCells);
        keepInside(input.moves, pull);
    }
    for (int cell = 0; cell < kCells; ++cell) plan.closed[cell] = static_cast<std::uint8_t>(~pull[cell]);
    const bool all_open = noteOpenRows(plan);

    std::uint16_t least = 0xffff, most = 0;  // of the cells that can be entered
    for (int cell = 0; cell < kCells; ++cell) {
        const auto shut = static_cast<std::uint16_t>(mirrored[cell] == 0 ? 0xffff : 0);
        const auto low = static_cast<std::uint16_t>(input.f[cell] | shut);
        const auto high = static_cast<std::uint16_t>(input.f[cell] & ~shut);
        least = low < least ? low : least;
        most = high > most ? high : most;
    }
    plan.uniform_f = all_open && !plan.rises && least == most ? least : std::uint16_t{0};
    plan.min_step = least * plan.straight_length;
    std::uint64_t max_step = std::uint64_t{most} * plan.diagonal_length;
    if (plan.rises) {
        std::memcpy(plan.heights + kPad, input.heights, kCells * sizeof *plan.heights);
        for (int i = 0; i < kPad; ++i) plan.heights[i] = plan.heights[kPad + kCells + i] = input.heights[0];
        std::int32_t low = input.heights[0], high = low;
        for (int cell = 0; cell < kCells; ++cell) {
            const std::int32_t h = input.heights[cell];
            low = h < low ? h : low;
            high = h > high ? h : high;
        }
        if (input.climb_weight == 0) {
            max_step += static_cast<std::uint64_t>(std::int64_t{high} - low);
        } else {
            const std::uint64_t climb = std::uint64_t{steepestStep(plan)} * input.climb_weight + 50;
            plan.too_steep = climb - 50 > ChunkKernelInput::kSteepestSweep;
            max_step += climb / 100 * plan.straight_length;
        }
    }
    return max_step;
}

}  // namespace
}  // namespace warpath::chunk_kernel
