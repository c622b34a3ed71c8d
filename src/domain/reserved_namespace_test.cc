#include "domain/reserved_namespace.h"

#include <gtest/gtest.h>

namespace koya {
namespace {

TEST(ReservedNamespaceTest, AreTheWordsOfThisServersAddressesInAnyLetterCase) {
  for (std::string_view ns :
       {"-",         "api",        "v1",      "v2",    "mirror", "origin",   "modules",
        "providers", "namespaces", "search",  "login", "oauth",  "download", "feeds",
        "hooks",     "log",        "builtin", "API",   "Mirror", "V1"}) {
    EXPECT_TRUE(IsReservedNamespace(ns)) << ns;
  }
  for (std::string_view ns : {"acme", "api2", "v3", "v10", "mirrors", "module", "logs", "log-in",
                              "downloads", "koya", "hook", "feed", "o-auth", "my-api", "--", ""}) {
    EXPECT_FALSE(IsReservedNamespace(ns)) << ns;
  }
}

}  // namespace
}  // namespace koya
