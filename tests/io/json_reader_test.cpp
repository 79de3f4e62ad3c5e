#include "io/json_reader.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warpath {
namespace {

std::string parseError(const std::string& text, const std::string& name = "f.json") {
    const auto parsed = parseJson(text, name);
    const Error* error = std::get_if<Error>(&parsed);
    return error != nullptr ? error->text() : "no error";
}

Json parsed(const std::string& text) { return std::get<Json>(parseJson(text, "f.json")); }

TEST(JsonReader, SyntaxErrorsNameLineAndColumn) {
    EXPECT_EQ(parseError("{\n  \"a\": 1,\n  \"b\": ?\n}"), "f.json:3: unexpected \"\"b\": ?\" at column 8; write valid JSON");
    EXPECT_EQ(parseError("{\"a\": 1"), "f.json:1: an end of the text where more is needed at column 7; write valid JSON");
    EXPECT_EQ(parseError(""), "f.json:1: an end of the text where more is needed at column 1; write valid JSON");
    EXPECT_NE(parseError("{} {}"), "no error");
    EXPECT_NE(parseError("{\"a\": NaN}"), "no error");
    EXPECT_NE(parseError("{\"a\": Infinity}"), "no error");
    EXPECT_NE(parseError("[\"\xff\xfe\"]"), "no error");
    EXPECT_NE(parseError("// comment\n{}"), "no error");
    EXPECT_EQ(parseError(std::string("{}\0", 3)), "f.json:1: a byte of value 0 at column 3; write valid JSON");
}

TEST(JsonReader, NumbersThatNoDoubleHoldsAreRefused) {
    EXPECT_EQ(parseError("[1,\n1e999]"), "f.json:2: the number \"1e999\" at column 5; use a number that a double can hold");
}

TEST(JsonReader, RepeatedMembersAreRefused) {
    EXPECT_EQ(parseError("{\"a\": 1,\n \"a\": 2}"), "f.json:2: the member \"a\" twice at column 4; give each member once");
    EXPECT_EQ(parseError("[{\"a\": 1}, {\"a\": 2}]"), "no error");
}

TEST(JsonReader, DeepNestingIsRefused) {
    EXPECT_EQ(parseError(std::string(64, '[') + std::string(64, ']')), "no error");
    EXPECT_EQ(parseError(std::string(65, '[') + std::string(65, ']')), "f.json:1: more than 64 levels at column 65; nest less deeply");
    EXPECT_NE(parseError(std::string(1'000'000, '[')), "no error");
}

TEST(JsonReader, MessagesWithoutANameGetTheColumn) {
    EXPECT_EQ(parseError("{\"a\" 1}", ""), "json: unexpected \"1\" at column 6; write valid JSON");
}

TEST(JsonReader, ErrorsAreLocatedByTheirPath) {
    const std::string text = "{\n\"list\": [\n{\"a\": 1},\n{\"a\": 2,\n \"b\": 3}\n],\n\"c\": [1,\n2,\n3]}";
    EXPECT_EQ(locateError({"list[1].b", "v", "r"}, text, "f").field, "f:5: list[1].b");
    EXPECT_EQ(locateError({"list[1]", "v", "r"}, text, "f").field, "f:4: list[1]");
    EXPECT_EQ(locateError({"c[1]", "v", "r"}, text, "f").field, "f:8: c[1]");
    EXPECT_EQ(locateError({"c[2]", "v", "r"}, text, "f").field, "f:9: c[2]");
    EXPECT_EQ(locateError({"list[1].missing", "v", "r"}, text, "f").field, "f:4: list[1].missing");
    EXPECT_EQ(locateError({"missing", "v", "r"}, text, "f").field, "f: missing");
}

TEST(JsonReader, ObjectsRefuseUnknownFieldsAndNameTheKnownOnes) {
    const Json document = parsed(R"({"speed": 3, "sped": 4})");
    std::optional<Error> error;
    JsonObject object(document, "unit", error);
    float speed = 0.0f, range = 7.0f;
    EXPECT_TRUE(object.read("speed", speed, 0.0f, 10.0f));
    EXPECT_FALSE(object.read("range", range, 0.0f, 10.0f));
    object.finish();
    EXPECT_EQ(speed, 3.0f);
    EXPECT_EQ(range, 7.0f);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->text(), "unit.sped: an unknown field; known here: speed, range");
}

TEST(JsonReader, ValuesAreOfTheirTypeAndWithinTheirLimits) {
    const auto errorOf = [](const std::string& value, auto read) {
        const Json document = parsed("{\"v\": " + value + "}");
        std::optional<Error> error;
        JsonObject object(document, "", error);
        read(object);
        object.finish();
        return error ? error->text() : "";
    };
    const auto number = [](JsonObject& o) { float v = 0; o.read("v", v, 0.1f, 2.0f); };
    const auto whole = [](JsonObject& o) { std::int32_t v = 0; o.read("v", v, 0, 100); };
    const auto flag = [](JsonObject& o) { bool v = false; o.read("v", v); };
    const auto text = [](JsonObject& o) { std::string v; o.read("v", v); };
    const auto position = [](JsonObject& o) { Position v; o.read("v", v); };
    const auto rect = [](JsonObject& o) { CellRect v; o.read("v", v); };
    EXPECT_EQ(errorOf("0.1", number), "");
    EXPECT_EQ(errorOf("2.5", number), "v: 2.5; use a number from 0.1 to 2");
    EXPECT_EQ(errorOf("\"1\"", number), "v: \"1\"; use a number from 0.1 to 2");
    EXPECT_EQ(errorOf("null", number), "v: null; use a number from 0.1 to 2");
    EXPECT_EQ(errorOf("1e300", number), "v: 1e+300; use a number from 0.1 to 2");
    EXPECT_EQ(errorOf("3.0", whole), "");
    EXPECT_EQ(errorOf("1e2", whole), "");
    EXPECT_EQ(errorOf("3.5", whole), "v: 3.5; use a whole number from 0 to 100");
    EXPECT_EQ(errorOf("18446744073709551615", whole), "v: 18446744073709551615; use a whole number from 0 to 100");
    EXPECT_EQ(errorOf("1", flag), "v: 1; use true or false");
    EXPECT_EQ(errorOf("true", flag), "");
    EXPECT_EQ(errorOf("[]", text), "v: an array of 0; use a string");
    EXPECT_EQ(errorOf("[1, 2.5]", position), "");
    EXPECT_EQ(errorOf("{\"x\": 1, \"y\": 2}", position), "");
    EXPECT_EQ(errorOf("[1]", position), "v: an array of 1; use [x, y] or {\"x\": x, \"y\": y}");
    EXPECT_EQ(errorOf("{\"x\": 1}", position), "v.y: missing; use [x, y] or {\"x\": x, \"y\": y}");
    EXPECT_EQ(errorOf("{\"x\": 1, \"y\": 2, \"z\": 3}", position), "v.z: an unknown field; use [x, y] or {\"x\": x, \"y\": y}");
    EXPECT_EQ(errorOf("[1, 5000000]", position), "v[1]: 5000000; use a number from -4000000 to 4000000");
    EXPECT_EQ(errorOf("[1, \"2\"]", position), "v[1]: \"2\"; use a number from -4000000 to 4000000");
    EXPECT_EQ(errorOf("[1, 2, 3, 0]", rect), "v[3]: 0; use a whole number from 1 to 4000000");
    EXPECT_EQ(errorOf("[1, 2.5, 3, 1]", rect), "v[1]: 2.5; use a whole number from -4000000 to 4000000");
}

TEST(JsonReader, LongAndUnprintableValuesAreShortened) {
    const Json document = parsed("{\"v\": \"" + std::string(1000, 'a') + "\"}");
    EXPECT_LT(describeJson(document["v"]).size(), 60u);
    EXPECT_EQ(describeJson(parsed("[\"\\u0001\\n\"]")[0]), "\"\\x01\\x0a\"");
}

}  // namespace
}  // namespace warpath
