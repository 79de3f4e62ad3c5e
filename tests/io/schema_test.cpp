#include "support/json_schema.h"
#include "support/test_paths.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#if __has_include(<valijson/adapters/nlohmann_json_adapter.hpp>)
#define WARPATH_HAS_VALIJSON 1
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#endif

namespace warpath {

#ifdef WARPATH_HAS_VALIJSON

bool schemaChecksAvailable() { return true; }

std::string schemaComplaint(const std::string& schema, const std::string& document) {
    std::ifstream file(sourceRoot() + schema);
    std::stringstream text;
    text << file.rdbuf();
    const nlohmann::json rules = nlohmann::json::parse(text.str(), nullptr, false);
    const nlohmann::json value = nlohmann::json::parse(document, nullptr, false);
    if (rules.is_discarded()) return schema + " is not JSON";
    if (value.is_discarded()) return "the document is not JSON";
    valijson::Schema parsed;
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(rules), parsed);
    valijson::ValidationResults results;
    if (valijson::Validator().validate(parsed, valijson::adapters::NlohmannJsonAdapter(value), &results)) return "";
    std::string complaint;
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
        for (const std::string& step : error.context) complaint += step;
        complaint += ": " + error.description + "\n";
    }
    return complaint.empty() ? "refused" : complaint;
}

#else

bool schemaChecksAvailable() { return false; }
std::string schemaComplaint(const std::string&, const std::string&) { return "valijson is not installed"; }

#endif

TEST(Schemas, ThePartsOfASchemaAreEnforced) {
    if (!schemaChecksAvailable()) GTEST_SKIP() << "valijson is not installed";
    EXPECT_EQ(schemaComplaint("config/world.schema.json", R"({"width": 4, "height": 3})"), "");
    EXPECT_NE(schemaComplaint("config/world.schema.json", R"({"width": 4})"), "");
    EXPECT_NE(schemaComplaint("config/world.schema.json", R"({"width": 4, "height": 3, "depth": 1})"), "");
    EXPECT_NE(schemaComplaint("config/world.schema.json", R"({"width": 0, "height": 3})"), "");
    EXPECT_NE(schemaComplaint("config/world.schema.json", R"({"width": 4, "height": 3, "legend": {"ab": "grass"}})"), "");
}

}  // namespace warpath
