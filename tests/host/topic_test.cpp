#include "warpath/host_api/topic.h"

#include <gtest/gtest.h>

namespace warpath {
namespace {

TEST(Topic, AStarIsExactlyOneLevel) {
    EXPECT_TRUE(topicMatches("pathfinder/*", "pathfinder/requests"));
    EXPECT_TRUE(topicMatches("*/requests", "pathfinder/requests"));
    EXPECT_TRUE(topicMatches("a/*/c", "a/b/c"));
    EXPECT_FALSE(topicMatches("pathfinder/*", "pathfinder"));
    EXPECT_FALSE(topicMatches("pathfinder/*", "pathfinder/requests/urgent"));
    EXPECT_FALSE(topicMatches("*", "a/b"));
}

TEST(Topic, AHashIsTheRestAlsoNothing) {
    EXPECT_TRUE(topicMatches("#", "a"));
    EXPECT_TRUE(topicMatches("#", "a/b/c"));
    EXPECT_TRUE(topicMatches("world/#", "world"));
    EXPECT_TRUE(topicMatches("world/#", "world/chunk/12"));
    EXPECT_TRUE(topicMatches("*/#", "world"));
    EXPECT_TRUE(topicMatches("world/*/#", "world/chunk"));
    EXPECT_FALSE(topicMatches("world/*/#", "world"));
    EXPECT_FALSE(topicMatches("world/#", "worlds/chunk"));
}

TEST(Topic, WithoutWildcardsOnlyTheSameTopicMatches) {
    EXPECT_TRUE(topicMatches("a/b", "a/b"));
    EXPECT_FALSE(topicMatches("a/b", "a"));
    EXPECT_FALSE(topicMatches("a", "a/b"));
    EXPECT_FALSE(topicMatches("a/b", "a/B"));
    EXPECT_FALSE(topicMatches("a/bc", "a/b"));
}

TEST(Topic, WildcardsStandAloneAndNoLevelIsEmpty) {
    EXPECT_TRUE(isValidPattern("a/*/b/#"));
    EXPECT_TRUE(isValidPattern("#"));
    for (const char* bad : {"", "/", "a/", "/a", "a//b", "a*", "a/#/b", "#a", "**"}) EXPECT_FALSE(isValidPattern(bad)) << bad;
    EXPECT_TRUE(isValidTopic("a"));
    EXPECT_TRUE(isValidTopic("pathfinder/requests"));
    for (const char* bad : {"", "/", "a/", "/a", "a//b", "a/*", "a/#", "a*b"}) EXPECT_FALSE(isValidTopic(bad)) << bad;
}

TEST(Topic, MatchesAtCompileTime) {
    static_assert(topicMatches("a/*/#", "a/b/c/d") && !topicMatches("a/*", "b/a"));
}

}  // namespace
}  // namespace warpath
