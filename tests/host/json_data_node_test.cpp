#include "warpath/host/json_data_node.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warpath/core/rng.h"

namespace warpath {
namespace {

std::shared_ptr<const JsonDataNode> parsed(std::string_view text) {
    ParsedJson result = JsonDataNode::parse(text);
    EXPECT_FALSE(result.error) << result.error->text();
    return result.node;
}

Error refused(std::string_view text, const JsonLimits& limits = {}) {
    const ParsedJson result = JsonDataNode::parse(text, limits);
    EXPECT_EQ(result.node, nullptr) << text;
    return result.error.value_or(Error{"accepted", "", ""});
}

TEST(JsonDataNode, ReadsMembersAndFallsBackToDefaults) {
    const auto node = parsed(R"({"name":"north","weight":1.5,"count":7,"on":true,"nothing":null})");
    EXPECT_EQ(node->getString("name", "x"), "north");
    EXPECT_EQ(node->getDouble("weight"), 1.5);
    EXPECT_EQ(node->getInt("count"), 7);
    EXPECT_TRUE(node->getBool("on"));
    EXPECT_EQ(node->getString("absent", "x"), "x");
    EXPECT_EQ(node->getString("count", "x"), "x") << "a number is no string";
    EXPECT_EQ(node->getDouble("name", 2.0), 2.0);
    EXPECT_EQ(node->getInt("weight", 3), 3) << "1.5 is not integral";
    EXPECT_EQ(node->getBool("count", true), true);
    EXPECT_EQ(node->getDouble("count"), 7.0) << "an integer is a number";
}

TEST(JsonDataNode, TellsAbsentFromNullAndFromWrongType) {
    const auto node = parsed(R"({"nothing":null,"text":"1"})");
    EXPECT_EQ(node->child("absent"), nullptr);
    EXPECT_FALSE(node->has("absent"));
    ASSERT_NE(node->child("nothing"), nullptr);
    EXPECT_TRUE(node->child("nothing")->isNull());
    EXPECT_EQ(node->child("text")->type(), DataType::string);
    EXPECT_EQ(node->child("text")->integer(), std::nullopt);
    EXPECT_EQ(node->child("text")->child("deeper"), nullptr);
}

TEST(JsonDataNode, KeysAreInTheOrderOfTheDocument) {
    const auto node = parsed(R"({"zeta":1,"alpha":2,"mid":3})");
    EXPECT_EQ(node->keys(), (std::vector<std::string>{"zeta", "alpha", "mid"}));
    EXPECT_EQ(node->size(), 3u);
    EXPECT_EQ(node->at(1)->integer(), 2);
    EXPECT_EQ(node->at(3), nullptr);
}

TEST(JsonDataNode, ArraysAreReadByIndex) {
    const auto node = parsed(R"([10,[20],"x"])");
    ASSERT_TRUE(node->isArray());
    EXPECT_EQ(node->size(), 3u);
    EXPECT_EQ(node->at(0)->integer(), 10);
    EXPECT_EQ(node->at(1)->at(0)->integer(), 20);
    EXPECT_EQ(node->at(2)->text(), "x");
    EXPECT_EQ(node->at(3), nullptr);
    EXPECT_EQ(node->child("0"), nullptr);
    EXPECT_TRUE(node->keys().empty());
}

TEST(JsonDataNode, AChildOutlivesItsParent) {
    std::shared_ptr<const IDataNode> child = parsed(R"({"a":{"b":["deep"]}})")->child("a");
    child = child->child("b");
    EXPECT_EQ(child->at(0)->text(), "deep");
}

TEST(JsonDataNode, IntegersAreExactAndIntegralRealsCount) {
    const auto node = parsed("[9223372036854775807,-9223372036854775808,9223372036854775808,3.0,1e3,3.5,1e300,-0.0]");
    EXPECT_EQ(node->at(0)->integer(), INT64_MAX);
    EXPECT_EQ(node->at(1)->integer(), INT64_MIN);
    EXPECT_EQ(node->at(2)->type(), DataType::real) << "one too many for 64 signed bits";
    EXPECT_EQ(node->at(2)->integer(), std::nullopt);
    EXPECT_EQ(node->at(2)->number(), 9223372036854775808.0);
    EXPECT_EQ(node->at(3)->integer(), 3);
    EXPECT_EQ(node->at(4)->integer(), 1000);
    EXPECT_EQ(node->at(5)->integer(), std::nullopt);
    EXPECT_EQ(node->at(6)->integer(), std::nullopt);
    EXPECT_EQ(node->at(7)->integer(), 0);
}

TEST(JsonDataNode, ToJsonKeepsOrderTypesAndEveryCharacter) {
    const std::string text = R"({"z":1,"a":[true,false,null,-5,0.1,3.0,1e+22],"s":"\"\\\b\f\n\r\t\u0001é/","o":{},"e":[]})";
    const auto node = parsed(text);
    EXPECT_EQ(node->toJson(), text);
    EXPECT_EQ(parsed(node->toJson())->toJson(), text);
    EXPECT_EQ(node->child("a")->toJson(), "[true,false,null,-5,0.1,3.0,1e+22]");
}

TEST(JsonDataNode, SyntaxErrorsNameLineAndColumn) {
    const Error error = refused("{\n  \"a\": 1,\n  \"b\": }\n}");
    EXPECT_EQ(error.field, "line 3, column 8");
    EXPECT_EQ(error.value, "\"b\": }") << "what was read last";
    EXPECT_NE(error.remedy.find("unexpected '}'"), std::string::npos) << error.remedy;
    EXPECT_EQ(refused("").value, "end of text");
    EXPECT_EQ(refused("[1] x").field, "line 1, column 5");
    EXPECT_EQ(refused("nul").field.substr(0, 7), "line 1,");
}

TEST(JsonDataNode, RefusesWhatCouldBeReadInTwoWays) {
    const Error twice = refused(R"({"units":[{"speed":1,"mass":2,"speed":3}]})");
    EXPECT_EQ(twice.field, "units.0.speed");
    EXPECT_EQ(twice.value, "given twice");
    EXPECT_NE(refused("[1e999]").remedy.find("number"), std::string::npos);
    refused("NaN");
    refused("[1,]");
    refused("// comment\n1");
    refused("\"\xff\"");
}

TEST(JsonDataNode, RefusesTextThatIsTooLongOrTooDeep) {
    EXPECT_EQ(refused("[1,2,3]", {.max_bytes = 4}).field, "text");
    EXPECT_NO_FATAL_FAILURE(parsed(std::string(128, '[') + std::string(128, ']')));
    EXPECT_EQ(refused(std::string(129, '[') + std::string(129, ']')).value, "nested deeper than 128 levels");
    EXPECT_EQ(refused(std::string(1 << 20, '['), {.max_depth = 1 << 20}).value, "nested deeper than 512 levels");
}

TEST(JsonDataNode, ErrorTextIsPrintableWhateverTheInput) {
    Rng rng(7);
    for (int i = 0; i < 20000; ++i) {
        std::string text = R"({"a":[1,2.5,"x\u00e9"],"b":{"c":null}})";
        for (int change = 0; change < 3; ++change)
            text[rng.below(static_cast<std::uint32_t>(text.size()))] = static_cast<char>(rng.below(256));
        const ParsedJson result = JsonDataNode::parse(text);
        ASSERT_NE(result.node == nullptr, !result.error) << text;
        if (!result.error) {
            // A second reader agrees that it is valid, and on what it says.
            ASSERT_TRUE(nlohmann::json::accept(text)) << text;
            ASSERT_EQ(nlohmann::json::parse(text), nlohmann::json::parse(result.node->toJson())) << text;
            continue;
        }
        for (const char c : result.error->text()) ASSERT_TRUE(c >= ' ' && c <= '~') << text;
    }
}

}  // namespace
}  // namespace warpath
