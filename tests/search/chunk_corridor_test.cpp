#include "warpath/search/chunk_corridor.h"

#include <gtest/gtest.h>

namespace warpath {
namespace {

TEST(ChunkCorridor, HoldsTheChunksAroundTwoCellsThatLieOnTheMap) {
    ChunkCorridor corridor;
    corridor.reset(4, 3);
    corridor.addAround({130, 70}, {10, 66}, 5);  // the rows of the chunks end at 63 and 127
    EXPECT_EQ(corridor.chunks(), (std::vector<ChunkCoord>{{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}}));
    EXPECT_TRUE(corridor.contains({2, 1}));
    EXPECT_FALSE(corridor.contains({3, 1}));

    corridor.reset(4, 3);
    EXPECT_TRUE(corridor.chunks().empty());
    EXPECT_FALSE(corridor.contains({2, 1}));
    corridor.addAround({255, 191}, {255, 191}, 100);
    EXPECT_EQ(corridor.chunks(), (std::vector<ChunkCoord>{{2, 1}, {3, 1}, {2, 2}, {3, 2}}));
}

}  // namespace
}  // namespace warpath
