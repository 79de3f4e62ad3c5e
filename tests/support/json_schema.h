// Checks documents against the project's JSON schemas where valijson is installed (Debian: libvalijson-dev).
//
//   if (!schemaChecksAvailable()) GTEST_SKIP() << "valijson is not installed";
//   EXPECT_EQ(schemaComplaint("config/world.schema.json", text), "");
#pragma once

#include <string>

namespace warpath {

[[nodiscard]] bool schemaChecksAvailable();

/// What is wrong with a document by a schema (a path from the project's root); "" when nothing is.
[[nodiscard]] std::string schemaComplaint(const std::string& schema, const std::string& document);

}  // namespace warpath
