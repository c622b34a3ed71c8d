#include "api/common/cookies.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace koya::api {
namespace {

// The value of the cookie `a` when these fields were sent.
std::string CookieA(const std::vector<std::string>& values) {
  std::vector<http::Field> fields;
  for (const std::string& value : values) fields.push_back({"Cookie", value});
  http::Request request;
  request.fields = fields;
  return std::string(Cookies(request).Get("a"));
}

TEST(CookiesTest, AreReadFromEveryField) {
  EXPECT_EQ(CookieA({"a=1"}), "1");
  EXPECT_EQ(CookieA({"b=2; a=1; c=3"}), "1");
  EXPECT_EQ(CookieA({"b=2;a=1"}), "1");
  EXPECT_EQ(CookieA({"b=2", "a=1"}), "1");
  EXPECT_EQ(CookieA({" a=1 "}), "1");
  EXPECT_EQ(CookieA({"a=1=2"}), "1=2");
  EXPECT_EQ(CookieA({"a="}), "");
  EXPECT_EQ(CookieA({"bad name=x; a=1"}), "1") << "another program's cookie does no harm";
  EXPECT_EQ(CookieA({"x=\"quoted\"; a=1"}), "1");
}

TEST(CookiesTest, AreNotReadWhereTheyCannotBeOurs) {
  for (const std::string& sent :
       {"a=1; a=2", "a=1; b=2; a=1", "A=1", "a", "a =1", "=1", "a=\"1\"", "a=1 2", "a=1,2",
        "a=1\\2", "a=\x7F", "a=\xC3\xA9", "b=a=1", "$a=1"}) {
    EXPECT_EQ(CookieA({sent}), "") << sent;
  }
  EXPECT_EQ(CookieA({"a=1", "a=2"}), "") << "in two fields";
}

TEST(CookiesTest, HaveBounds) {
  std::string room(Cookies::kMostBytes - 6, 'x');
  EXPECT_EQ(CookieA({"a=1; " + room.substr(0, room.size() - 2) + "=y"}), "1");
  EXPECT_EQ(CookieA({"a=1; b=" + room}), "");
  EXPECT_EQ(CookieA({"a=1", "b=" + room + "xx"}), "");
  std::string many;
  for (std::size_t i = 0; i < Cookies::kMostCookies; ++i) many += "c" + std::to_string(i) + "=1; ";
  EXPECT_EQ(CookieA({many + "a=1"}), "");
}

TEST(CookiesTest, AreSetForThisHostAlone) {
  EXPECT_EQ(SetCookie(kSessionCookie, "abc"),
            "__Host-koya=abc; Path=/; Secure; HttpOnly; SameSite=Lax");
  EXPECT_EQ(SetCookie(kThemeCookie, "dark", kCookieYear),
            "theme=dark; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=31536000");
  EXPECT_TRUE(SetCookie(kSessionCookie, "", std::chrono::seconds(0)).ends_with("Max-Age=0"));
  for (std::string_view value : {"a;b", "a b", "a\r\nX: y", "\"a\"", "a,b", "\xC3\xA9"}) {
    EXPECT_THROW(SetCookie("lang", value), std::logic_error) << value;
  }
  EXPECT_THROW(SetCookie("la ng", "en"), std::logic_error);
  EXPECT_THROW(SetCookie("", "en"), std::logic_error);
}

}  // namespace
}  // namespace koya::api
