// An open list over integer keys: buckets of equal width in a ring (Dial 1969), last in first out inside a bucket.
//
//   BucketQueue queue;
//   queue.reset(bucketShift(smallest_step), first_key);
//   queue.push(f, entry);
//   while (queue.pop(entry)) ...
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace warpath {

/// The widest power of two that does not exceed the smallest step: then a bucket's nodes cannot be improved from later buckets.
[[nodiscard]] constexpr int bucketShift(std::uint64_t smallest_step) {
    int shift = 0;
    while ((std::uint64_t{2} << shift) <= smallest_step) ++shift;
    return shift;
}

/// Keys beyond the ring wait in a list and are spread when the ring comes to them, so any 64-bit key is allowed. Keys below the current bucket
/// (weighted searches make them) join the current bucket. Order is fixed by the pushes alone, so equal inputs pop equally everywhere.
/// No allocation once the blocks have grown. Single owner.
class BucketQueue {
public:
    /// Empties the queue and sets the bucket width to 2^shift. O(blocks in use).
    /// @param lowest no key below this one will come first.
    void reset(int shift, std::uint64_t lowest = 0);

    /// Lower bound of the keys in the current bucket (exact multiple of the width).
    [[nodiscard]] std::uint64_t currentKey() const { return current_ << shift_; }

    void push(std::uint64_t key, std::uint64_t entry) {
        std::uint64_t bucket = key >> shift_;
        if (bucket < current_) bucket = current_;
        if (bucket - current_ >= kRing) [[unlikely]] {
            pushOverflow(bucket, entry);
            return;
        }
        const std::size_t slot = bucket & (kRing - 1);
        std::uint32_t head = heads_[slot];
        if (head == kNone || blocks_[head].count == kBlockEntries) {
            head = takeBlock(head);
            heads_[slot] = head;
            occupied_[slot >> 6] |= std::uint64_t{1} << (slot & 63);
        }
        Block& block = blocks_[head];
        block.entries[block.count++] = entry;
    }

    /// Takes an entry of the lowest bucket. False when empty.
    bool pop(std::uint64_t& entry) {
        std::uint32_t head = heads_[current_ & (kRing - 1)];
        if (head == kNone) [[unlikely]] {
            if (!advance()) return false;
            head = heads_[current_ & (kRing - 1)];
        }
        Block& block = blocks_[head];
        entry = block.entries[--block.count];
        if (block.count == 0) releaseHead(head);
        return true;
    }

    [[nodiscard]] std::size_t memoryBytes() const {
        return blocks_.capacity() * sizeof(Block) + overflow_.capacity() * sizeof(Waiting) + sizeof(*this);
    }

private:
    static constexpr std::size_t kRing = 4096;
    static constexpr std::uint32_t kBlockEntries = 31;
    static constexpr std::uint32_t kNone = UINT32_MAX;

    struct Block {
        std::array<std::uint64_t, kBlockEntries> entries;
        std::uint32_t count;
        std::uint32_t next;
    };
    struct Waiting {
        std::uint64_t bucket;
        std::uint64_t entry;
    };

    std::uint32_t takeBlock(std::uint32_t next);
    void releaseHead(std::uint32_t head);
    void pushOverflow(std::uint64_t bucket, std::uint64_t entry);
    /// Moves to the next bucket that holds something. False when nothing is left.
    bool advance();
    void spreadOverflow();

    int shift_ = 0;
    std::uint64_t current_ = 0;
    std::uint32_t free_block_ = kNone;
    std::uint64_t overflow_lowest_ = UINT64_MAX;
    std::vector<Block> blocks_;
    std::vector<Waiting> overflow_;
    std::array<std::uint32_t, kRing> heads_ = filledHeads();
    std::array<std::uint64_t, kRing / 64> occupied_{};

    static constexpr std::array<std::uint32_t, kRing> filledHeads() {
        std::array<std::uint32_t, kRing> heads{};
        heads.fill(kNone);
        return heads;
    }
};

}  // namespace warpath
