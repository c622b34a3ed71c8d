#include "http/media_type.h"

#include <gtest/gtest.h>

#include <string_view>

namespace koya::http {
namespace {

TEST(MediaTypeTest, ReadsMediaTypesAsTheClientsDo) {
  for (std::string_view good :
       {"application/json", "APPLICATION/JSON", "application/json; charset=utf-8",
        "application/json;charset=\"utf-8\"", "application/json ; a=b; c=d", "application/json;"}) {
    EXPECT_TRUE(IsJsonMediaType(good)) << good;
  }
  for (std::string_view bad :
       {"", "text/html", "text/json", "application/problem+json", "application/json; charset",
        "application/json; =utf-8", "application/json; charset=", "application/json charset=utf-8",
        "application/json;;a=b", "json", "application/json, text/html"}) {
    EXPECT_FALSE(IsJsonMediaType(bad)) << bad;
  }
}

}  // namespace
}  // namespace koya::http
