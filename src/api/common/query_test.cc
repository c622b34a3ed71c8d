#include "api/common/query.h"
#include "http/url.h"

#include <gtest/gtest.h>

namespace koya::api {
namespace {

TEST(QueryParameterTest, FindsAndDecodes) {
  EXPECT_EQ(**QueryParameter("q=a%20b+c&limit=5", "q"), "a b c");
  EXPECT_EQ(**QueryParameter("q=%C3%A9", "q"), "é");
  EXPECT_EQ(**QueryParameter("a=1&a=2", "a"), "1");
  EXPECT_EQ(**QueryParameter("flag", "flag"), "");
  EXPECT_EQ(**QueryParameter("x=&y", "x"), "");
  EXPECT_FALSE(QueryParameter("qq=1&xq=2", "q")->has_value());
  EXPECT_FALSE(QueryParameter("", "q")->has_value());
}

TEST(QueryParameterTest, RefusesBrokenEncoding) {
  for (std::string_view query : {"q=%", "q=%4", "q=%zz", "q=abc%2", "q=%00", "q=%ff", "q=%1b[0m"}) {
    auto value = QueryParameter(query, "q");
    ASSERT_FALSE(value) << query;
    EXPECT_EQ(value.error().kind, ErrorKind::kInvalid);
  }
  EXPECT_FALSE(QueryParameter("q=" + std::string(1001, 'a'), "q"));
}

TEST(QueryNumberTest, TakesWholeNumbersOnly) {
  EXPECT_EQ(QueryNumber("limit=20", "limit", 15), 20U);
  EXPECT_EQ(QueryNumber("", "limit", 15), 15U);
  for (std::string_view query :
       {"limit=", "limit=-1", "limit=1.5", "limit=x", "limit=1e3", "limit=99999999999999999999"}) {
    EXPECT_FALSE(QueryNumber(query, "limit", 15)) << query;
  }
}

TEST(QueryParameterTest, ReadsWhatWasPercentEncoded) {
  std::string hostile = "a b&c=d%+é/?#";
  EXPECT_EQ(**QueryParameter("q=" + http::PercentEncode(hostile), "q"), hostile);
}

}  // namespace
}  // namespace koya::api
