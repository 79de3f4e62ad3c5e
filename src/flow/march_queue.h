// The open list of a marching front: a ring of buckets, first in first out inside a bucket, handed out several at a time.
//
//   MarchQueue queue;
//   queue.reset(buckets);
//   queue.push(bucket, cell);
//   queue.drain(stride, fetch, [&](const std::uint32_t* cells, std::size_t count) { ... push again ... });
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpath::flow {

/// No allocation once the blocks have grown. Single owner.
class MarchQueue {
public:
    /// @param reach keys never lie further than this above the current bucket.
    void reset(std::uint32_t reach) {
        const std::uint32_t buckets = std::bit_ceil(reach + 2);
        mask_ = buckets - 1;
        heads_.resize(buckets);
        cursors_.resize(buckets);
        if (pool_.size() < std::size_t{buckets} * kBlock) pool_.resize(std::size_t{buckets} * kBlock);
        for (std::uint32_t b = 0; b < buckets; ++b) {
            heads_[b] = b;
            cursors_[b] = b * kBlock + 1;
        }
        free_.clear();
        for (auto block = static_cast<std::uint32_t>(pool_.size() / kBlock); block > buckets; --block) free_.push_back(block - 1);
        current_ = 0;
    }

    /// The bucket being drained; pushes go there or beyond.
    [[nodiscard]] std::uint32_t current() const { return current_; }

    void push(std::uint32_t bucket, std::uint32_t entry) {
        std::uint32_t& cursor = cursors_[bucket & mask_];
        pool_[cursor++] = entry;
        if ((cursor & (kBlock - 1)) == 0) [[unlikely]] extend(cursor);
    }

    static constexpr std::size_t kBatch = 8;

    /// Calls visit(entries, count) for everything in order of buckets, up to kBatch at a time and never of two buckets at once, what is pushed meanwhile
    /// included, until the queue is empty. Calls fetch(entry) for entries to come soon.
    /// @param apart two entries that differ by 1 or by so much are not handed out together; 0: any may be.
    template <class Fetch, class Visit>
    void drain(std::uint32_t apart, const Fetch& fetch, const Visit& visit) {
        std::uint32_t batch[kBatch];
        for (std::uint32_t empty = 0; empty <= mask_; ++current_) {
            const std::uint32_t slot = current_ & mask_;
            const std::uint32_t begin = heads_[slot] * kBlock + 1;
            if (cursors_[slot] == begin) {
                ++empty;
                continue;
            }
            empty = 0;
            std::uint32_t at = begin;
            while (at != cursors_[slot]) {
                std::size_t count = 0;
                while (count < kBatch && at != cursors_[slot]) {
                    const std::uint32_t entry = pool_[at];
                    if (apart != 0 && touches(entry, batch, count, apart)) break;
                    batch[count++] = entry;
                    // Whatever stands there is or once was an entry, or 0: good enough to prefetch.
                    fetch(pool_[(at & ~(kBlock - 1)) | ((at + kAhead) & (kBlock - 1))]);
                    ++at;
                    if ((at & (kBlock - 1)) == 0) at = pool_[at - kBlock] * kBlock + 1;
                }
                visit(static_cast<const std::uint32_t*>(batch), count);
            }
            // The last block stays with the bucket, those before it are free again.
            std::uint32_t block = heads_[slot];
            while (block != (at - 1) / kBlock) {
                free_.push_back(block);
                block = pool_[block * kBlock];
            }
            heads_[slot] = block;
            cursors_[slot] = block * kBlock + 1;
        }
    }

    [[nodiscard]] std::size_t memoryBytes() const { return (pool_.capacity() + heads_.capacity() + cursors_.capacity() + free_.capacity()) * sizeof(std::uint32_t); }

private:
    static constexpr std::uint32_t kBlock = 32;  // the first entry is the link to the next block
    static constexpr std::uint32_t kAhead = 10;

    [[nodiscard]] static bool touches(std::uint32_t entry, const std::uint32_t* batch, std::size_t count, std::uint32_t apart) {
        bool any = false;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t beyond = entry - batch[i];
            any |= (beyond + 1 <= 2) | (beyond == apart) | (beyond == 0 - apart);
        }
        return any;
    }

    void extend(std::uint32_t& cursor) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(pool_.size() / kBlock));
            pool_.resize(pool_.size() + kBlock);
        }
        const std::uint32_t block = free_.back();
        free_.pop_back();
        pool_[cursor - kBlock] = block;
        cursor = block * kBlock + 1;
    }

    std::uint32_t mask_ = 0;
    std::uint32_t current_ = 0;
    std::vector<std::uint32_t> heads_;    // first block of each bucket
    std::vector<std::uint32_t> cursors_;  // where the next entry goes
    std::vector<std::uint32_t> pool_;     // blocks
    std::vector<std::uint32_t> free_;     // blocks
};

}  // namespace warpath::flow
