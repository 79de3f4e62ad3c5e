#include "warpath/grid/bucket_queue.h"

#include <algorithm>

namespace warpath {

void BucketQueue::reset(int shift, std::uint64_t lowest) {
    for (std::size_t word = 0; word < occupied_.size(); ++word) {
        for (std::uint64_t bits = occupied_[word]; bits != 0; bits &= bits - 1) {
            const std::size_t slot = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
            std::uint32_t head = heads_[slot];
            while (head != kNone) {
                const std::uint32_t next = blocks_[head].next;
                blocks_[head].next = free_block_;
                free_block_ = head;
                head = next;
            }
            heads_[slot] = kNone;
        }
        occupied_[word] = 0;
    }
    overflow_.clear();
    overflow_lowest_ = UINT64_MAX;
    current_ = lowest >> shift;
    shift_ = shift;
}

std::uint32_t BucketQueue::takeBlock(std::uint32_t next) {
    std::uint32_t block = free_block_;
    if (block != kNone) {
        free_block_ = blocks_[block].next;
    } else {
        block = static_cast<std::uint32_t>(blocks_.size());
        blocks_.emplace_back();
    }
    blocks_[block].count = 0;
    blocks_[block].next = next;
    return block;
}

void BucketQueue::releaseHead(std::uint32_t head) {
    const std::size_t slot = current_ & (kRing - 1);
    heads_[slot] = blocks_[head].next;
    blocks_[head].next = free_block_;
    free_block_ = head;
    if (heads_[slot] == kNone) occupied_[slot >> 6] &= ~(std::uint64_t{1} << (slot & 63));
}

void BucketQueue::pushOverflow(std::uint64_t bucket, std::uint64_t entry) {
    overflow_.push_back({bucket, entry});
    overflow_lowest_ = std::min(overflow_lowest_, bucket);
}

bool BucketQueue::advance() {
    const std::size_t start = current_ & (kRing - 1);
    std::uint64_t next = UINT64_MAX;
    for (std::size_t step = 0; step <= occupied_.size(); ++step) {  // the first word is looked at twice: above `start`, in the end below it
        const std::size_t word = ((start >> 6) + step) & (occupied_.size() - 1);
        std::uint64_t bits = occupied_[word];
        if (step == 0) bits &= ~std::uint64_t{0} << (start & 63);
        if (bits == 0) continue;
        const std::size_t slot = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
        next = current_ + ((slot - start) & (kRing - 1));
        break;
    }
    if (next == UINT64_MAX && overflow_.empty()) return false;
    if (overflow_lowest_ <= next) {
        current_ = overflow_lowest_;
        spreadOverflow();
    } else {
        current_ = next;
    }
    return true;
}

void BucketQueue::spreadOverflow() {
    std::uint64_t lowest = UINT64_MAX;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < overflow_.size(); ++i) {  // keeps the order of the pushes
        const Waiting waiting = overflow_[i];
        if (waiting.bucket - current_ < kRing) {
            push(waiting.bucket << shift_, waiting.entry);
        } else {
            overflow_[kept++] = waiting;
            lowest = std::min(lowest, waiting.bucket);
        }
    }
    overflow_.resize(kept);
    overflow_lowest_ = lowest;
}

}  // namespace warpath
