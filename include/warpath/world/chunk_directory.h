// A grid of shared immutable chunk records that is cheap to copy: two levels, so a copy that changes one record costs one block.
//
//   ChunkDirectory<ChunkGround> next = current;     // shares everything
//   next.set({3, 5}, std::move(record));            // copies one block of 16 x 16 pointers
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "warpath/core/assert.h"
#include "warpath/world/chunk.h"

namespace warpath {

/// Copies share records and blocks. Reading is safe from any number of threads; `set` needs the only owner of this copy.
template <class Record>
class ChunkDirectory {
public:
    ChunkDirectory() = default;
    ChunkDirectory(int columns, int rows)
        : columns_(columns), rows_(rows), block_columns_((columns + kBlockMask) >> kBlockShift),
          blocks_(static_cast<std::size_t>(block_columns_) * static_cast<std::size_t>((rows + kBlockMask) >> kBlockShift)) {}

    [[nodiscard]] int columns() const { return columns_; }
    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] bool contains(ChunkCoord c) const { return c.x >= 0 && c.y >= 0 && c.x < columns_ && c.y < rows_; }

    /// The record, or null where none was set. @pre contains(c).
    [[nodiscard]] const Record* get(ChunkCoord c) const {
        const Block* block = blocks_[blockIndex(c)].get();
        return block != nullptr ? block->records[slotIndex(c)].get() : nullptr;
    }
    [[nodiscard]] std::shared_ptr<const Record> share(ChunkCoord c) const {
        const Block* block = blocks_[blockIndex(c)].get();
        return block != nullptr ? block->records[slotIndex(c)] : nullptr;
    }

    /// Replaces one record. Copies its block unless this directory already owns it alone.
    void set(ChunkCoord c, std::shared_ptr<const Record> record) {
        WARPATH_ASSERT(contains(c), "chunk inside the directory");
        std::shared_ptr<Block>& block = blocks_[blockIndex(c)];
        if (block == nullptr) {
            block = std::make_shared<Block>();
        } else if (block.use_count() > 1) {
            block = std::make_shared<Block>(*block);
        }
        block->records[slotIndex(c)] = std::move(record);
    }

    /// Calls visit(coord, record or null, other record or null) for every chunk whose record differs, in row order of blocks. Shared blocks are skipped.
    template <class Visit>
    void forEachDifference(const ChunkDirectory& other, Visit&& visit) const {
        WARPATH_ASSERT(columns_ == other.columns_ && rows_ == other.rows_, "directories of one map");
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            if (blocks_[b] == other.blocks_[b]) continue;
            const int bx = static_cast<int>(b) % block_columns_, by = static_cast<int>(b) / block_columns_;
            for (int i = 0; i < kBlockRecords; ++i) {
                const ChunkCoord c{(bx << kBlockShift) | (i & kBlockMask), (by << kBlockShift) | (i >> kBlockShift)};
                if (!contains(c)) continue;
                const Record* mine = get(c);
                const Record* theirs = other.get(c);
                if (mine != theirs) visit(c, mine, theirs);
            }
        }
    }

private:
    static constexpr int kBlockShift = 4;
    static constexpr int kBlockMask = (1 << kBlockShift) - 1;
    static constexpr int kBlockRecords = 1 << (2 * kBlockShift);
    struct Block {
        std::array<std::shared_ptr<const Record>, kBlockRecords> records;
    };

    [[nodiscard]] std::size_t blockIndex(ChunkCoord c) const {
        return static_cast<std::size_t>((c.y >> kBlockShift) * block_columns_ + (c.x >> kBlockShift));
    }
    [[nodiscard]] static std::size_t slotIndex(ChunkCoord c) {
        return static_cast<std::size_t>(((c.y & kBlockMask) << kBlockShift) | (c.x & kBlockMask));
    }

    int columns_ = 0;
    int rows_ = 0;
    int block_columns_ = 0;
    std::vector<std::shared_ptr<Block>> blocks_;
};

}  // namespace warpath
