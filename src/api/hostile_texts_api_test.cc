// Every page, with hostile requests: absurd parameters, unknown languages, forged cookies, tricky
// names. The response is a page with the expected status.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "api/common/route.h"
#include "api/routes.h"
#include "base/text.h"
#include "http/server/head_parser.h"

namespace koya::api {
namespace {

// Whatever some page asks its query for, and some that none does.
constexpr std::array<std::string_view, 26> kPageParameters{
    "q",     "page",         "sort",  "kind", "ns",      "filter", "group",   "state", "from",
    "to",    "constraint",   "by",    "raw",  "address", "days",   "version", "lang",  "code",
    "error", "redirect_uri", "scope", "iss",  "theme",   "offset", "tab",     "cidr"};

// As they stand in a query.
std::vector<std::string> AbsurdValues() {
  return {"",
          "-1",
          "0",
          "-99999999999999999999",
          "99999999999999999999",
          "1e9",
          "0x10",
          "%00",
          "%FF%FE",
          "%C0%AF",
          "%",
          "%zz",
          "%E2%80%AEdesrever",
          "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
          "%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
          "..%2F..%2Fetc%2Fpasswd",
          "//evil.example/",
          "javascript:alert(1)",
          "%7B%7Bcsrf%7D%7D%5B%5Bframe.skip%5D%5D",
          "a%0D%0ASet-Cookie:%20x=y",
          "klingon",
          "=&=&&=",
          std::string(8000, 'q')};  // the engine's limit for a head is 16 KiB
}

constexpr std::array<std::string_view, 12> kTrickyNames{
    "%61cme",  // not decoded twice
    "\xD0\xB0"
    "cme",  // a Cyrillic letter
    "ACME",
    "acme\xE2\x80\xAE",          // turns the direction
    "acme\xE2\x80\x8B",          // a blank without width
    "\xEF\xBD\x81\xEF\xBD\x83",  // full width
    "a\xCC\x81",                 // a letter and its accent
    "\xF0\x9F\x8D\xA2",
    "..",
    "-",
    "<script>",
    "acme'\"`$(id)"};

class HostilePagesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    api_.token = api_.Token(Scope::kAdmin);
    ASSERT_EQ(api_.Publish("acme/vpc/aws", "1.0.0", ModuleArchive("one")).status, 201U);
    ASSERT_EQ(api_.Publish("acme/vpc/aws", "1.1.0", ModuleArchive("two")).status, 201U);
    api_.token.clear();
  }

  // Every page that is opened, by its pattern.
  static std::vector<std::string_view> Pages() {
    std::vector<std::string_view> patterns;
    for (const Route& route : Routes()) {
      if (route.method == http::Method::kGet && IsForPeople(route.access)) {
        patterns.push_back(route.pattern);
      }
    }
    return patterns;
  }

  // A path that the pattern matches, of things that are there where it can be; `instead` in place
  // of its first name, unless it is "".
  static std::string PathOf(std::string_view pattern, std::string_view instead = {}) {
    std::string path;
    while (!pattern.empty()) {
      const std::size_t open = std::min(pattern.find('{'), pattern.size());
      path += pattern.substr(0, open);
      pattern.remove_prefix(open);
      if (pattern.empty()) break;
      const std::string_view name = pattern.substr(0, pattern.find('}') + 1);
      pattern.remove_prefix(name.size());
      path += instead.empty() ? ValueOf(name, path) : std::exchange(instead, std::string_view());
    }
    return path;
  }
  static std::string_view ValueOf(std::string_view name, std::string_view before) {
    if (name == "{namespace}") return "acme";
    if (name == "{system}") return "aws";
    if (name == "{version}") return "1.0.0";
    if (name == "{hostname}") return "registry.example.org";
    if (name == "{path...}") return "main.tf";
    if (name == "{file}") return before.contains("badges") ? "aws.svg" : "aws.atom";
    return before.ends_with("/docs/") ? "tokens" : "vpc";
  }

  Reply Open(std::string path, std::string query,
             std::vector<std::pair<std::string, std::string>> fields = {}) {
    fields.emplace_back("Accept", "text/html");
    return api_.Ask({.path = std::move(path), .query = std::move(query), .fields = fields});
  }

  // A page, a picture, a feed, or the way to one on this server.
  static void ExpectClean(const Reply& reply, const std::string& asked) {
    static const std::set<unsigned> kStatuses{200, 303, 400, 401, 404, 410};
    const std::string told = fmt::format("{} answers {}: {}", asked.substr(0, 300), reply.status,
                                         Printable(reply.body, 300));
    EXPECT_TRUE(kStatuses.contains(reply.status)) << told;
    EXPECT_TRUE(IsUtf8(reply.body)) << told;
    EXPECT_FALSE(reply.body.contains("<script>alert")) << told;
    EXPECT_FALSE(reply.body.contains("<img src=x")) << told;
    for (const auto& [name, value] : reply.fields) {
      EXPECT_EQ(value.find_first_of("\r\n"), value.npos) << told;
    }
    const std::string place = reply.Get("Location");
    if (reply.status == 303) {
      EXPECT_TRUE(place.starts_with('/') && !place.starts_with("//") && !place.starts_with("/\\"))
          << told << " to " << place;
      return;
    }
    const std::string type = reply.Get("Content-Type");
    if (type.starts_with("text/html")) {
      EXPECT_TRUE(reply.body.starts_with("<!doctype html>")) << told;
      EXPECT_TRUE(reply.body.ends_with("</body>\n</html>\n\n")) << told;
      EXPECT_TRUE(reply.Get("Content-Security-Policy").starts_with("default-src 'none'")) << told;
      // Input comes back in a field or a link, and is not multiplied.
      EXPECT_LT(reply.body.size(), 150'000U) << told;
    } else {
      EXPECT_EQ(reply.status, 200U) << told;
      EXPECT_FALSE(type.starts_with("application/json")) << told;
    }
  }

  ApiFixture api_;
};

TEST_F(HostilePagesTest, ThereArePages) {
  EXPECT_GT(Pages().size(), 50U);
  EXPECT_EQ(Open(PathOf("/modules/{namespace}/{name}/{system}"), "").status, 200U);
}

TEST_F(HostilePagesTest, AbsurdParametersOneByOne) {
  const std::vector<std::string> values = AbsurdValues();
  std::size_t turn = 0;
  for (std::string_view pattern : Pages()) {
    const std::string path = PathOf(pattern);
    for (std::string_view name : kPageParameters) {
      // Each with some of them: over all pages, with all.
      for (int i = 0; i < 2; ++i) {
        const std::string query = fmt::format("{}={}", name, values[turn++ % values.size()]);
        ExpectClean(Open(path, query), fmt::format("{}?{}", path, query));
      }
    }
  }
}

TEST_F(HostilePagesTest, AbsurdParametersAllAtOnceAndTwice) {
  for (std::string_view pattern : Pages()) {
    const std::string path = PathOf(pattern);
    for (const std::string& value : AbsurdValues()) {
      if (value.size() > 1000) continue;
      std::string query;
      for (int i = 0; i < 2; ++i) {
        for (std::string_view name : kPageParameters) query += fmt::format("{}={}&", name, value);
      }
      ExpectClean(Open(path, query), fmt::format("{}?{}", path, query));
    }
  }
}

TEST_F(HostilePagesTest, AnAbsurdPageNumberIsRefusedWhereNumbersAreRead) {
  for (std::string_view number : {"-1", "0", "x", "99999999999999999999", "1.5"}) {
    for (std::string_view path : {"/modules", "/providers", "/search", "/namespaces/acme"}) {
      EXPECT_EQ(Open(std::string(path), fmt::format("q=vpc&page={}", number)).status, 400U)
          << path << " " << number;
    }
  }
  EXPECT_EQ(Open("/modules", "page=50").status, 200U) << "an empty page says so";
}

TEST_F(HostilePagesTest, LanguagesThatAreNoneAreEnglish) {
  const std::string many = [] {
    std::string list;
    for (int i = 0; i < 2000; ++i) list += fmt::format("x-{};q=0.{},", i, i % 10);
    return list;
  }();
  for (const std::string& accepted :
       {std::string("*"), std::string(";;;,,,=q"), std::string("ja;q=1e999"),
        std::string("ja;q=-1"), std::string("en-\xFF\xFE"), std::string("../../etc"),
        std::string("<script>"), std::string(8000, 'a'), many}) {
    for (std::string_view pattern : Pages()) {
      const Reply reply = Open(PathOf(pattern), "", {{"Accept-Language", accepted}});
      ExpectClean(reply, fmt::format("{} in {}", pattern, Printable(accepted, 40)));
    }
  }
  for (std::string_view wish : {"klingon", "EN", "../ja", "%00", "ja%00"}) {
    const Reply reply = Open("/modules", fmt::format("lang={}", wish));
    ExpectClean(reply, std::string(wish));
    for (const auto& [name, value] : reply.fields) {
      EXPECT_FALSE(name == "Set-Cookie" && value.starts_with("lang=")) << value;
    }
  }
}

TEST_F(HostilePagesTest, ForgedCookiesAreNobodys) {
  for (std::string_view cookies :
       {"__Host-koya=x", "__Host-koya=", "__Host-koya=koya_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "__Host-koya=a; __Host-koya=b", "lang=klingon; theme=<x>", "lang=../../ja; theme=dark\"",
        "__Host-koya-visit=%00", "__Host-koya-note=no.such", "__Host-koya-note=..",
        "__Host-koya-note=offline.PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg", "=; ;;; =x",
        "\xFF\xFE=\xFF"}) {
    for (std::string_view pattern : Pages()) {
      const Reply reply = Open(PathOf(pattern), "", {{"Cookie", std::string(cookies)}});
      ExpectClean(reply, fmt::format("{} with {}", pattern, Printable(cookies, 60)));
      EXPECT_FALSE(reply.body.contains("/-/sign-out")) << pattern << " with " << cookies;
    }
  }
}

TEST_F(HostilePagesTest, NamesWithTricksAreNotThere) {
  for (std::string_view name : kTrickyNames) {
    for (std::string_view pattern : Pages()) {
      if (!pattern.contains('{')) continue;
      const std::string path = PathOf(pattern, name);
      const Reply reply = Open(path, "");
      ExpectClean(reply, path);
      // Letter case is no trick, and names of registries are read as IDNA reads them.
      const bool is_acme = name == "ACME" || name == "acme\xE2\x80\x8B";
      if (!is_acme) EXPECT_NE(reply.status, 200U) << path;
    }
  }
}

TEST_F(HostilePagesTest, WhatIsWithdrawnBetweenTwoClicksSaysSo) {
  const std::string page = "/modules/acme/vpc/aws/1.0.0";
  ASSERT_EQ(Open(page, "").status, 200U);
  api_.token = api_.Token(Scope::kAdmin);
  ASSERT_EQ(api_.Withdraw("acme/vpc/aws", "1.0.0", "leaks <script>alert(1)</script>").status, 204U);
  api_.token.clear();
  for (std::string_view pattern : Pages()) {
    if (!pattern.starts_with("/modules/") || !pattern.contains("{version}")) continue;
    const std::string path = PathOf(pattern);
    const Reply reply = Open(path, "");
    ExpectClean(reply, path);
    // Anonymous callers are led to the sign-in before they learn what a form is about.
    const bool is_form =
        path.ends_with("/deprecate") || path.ends_with("/withdraw") || path.ends_with("/restore");
    if (is_form && reply.status == 303) continue;
    EXPECT_TRUE(reply.status == 410 || reply.status == 404) << path << " " << reply.status;
  }
}

// ---- names, parameters and fields with line ends in them, on every route: none gets out of the
// header field that it stands in, nor makes the server fail.

constexpr std::array<std::string_view, 5> kHostileNames{"a\r\nSet-Cookie: evil=1", "a\nX-Evil: 1",
                                                        "a\rX-Evil: 1", "a%0D%0AX-Evil: 1",
                                                        "a\xE2\x80\xA8; evil"};

// Every parameter that a route or a page reads, and some that none does.
constexpr std::array<std::string_view, 27> kParameters{
    "to",       "lang",      "theme",    "state",  "code",          "iss",
    "error",    "client_id", "scope",    "token",  "redirect_uri",  "username",
    "password", "user",      "decision", "csrf",   "response_type", "q",
    "offset",   "limit",     "after",    "format", "namespace",     "provider",
    "source",   "expires",   "sig"};

FormFields Everywhere(std::string_view text) {
  FormFields fields;
  for (std::string_view name : kParameters) fields.emplace_back(name, text);
  return fields;
}

// The pattern with the text in place of every {name}.
std::string HostilePath(const Route& route, std::string_view text) {
  std::string path;
  std::string_view rest = route.pattern;
  for (std::size_t at = rest.find('{'); at != rest.npos; at = rest.find('{')) {
    path += fmt::format("{}{}", rest.substr(0, at), text);
    rest.remove_prefix(rest.find('}') + 1);
  }
  return path += rest;
}

class HostileNamesTest : public ::testing::Test {
 protected:
  // As a caller that may do everything; with a token, and as a browser.
  std::vector<Question> QuestionsFor(const Route& route, std::string_view text) {
    const std::string form = EncodeForm(Everywhere(text));
    const bool reads = route.method == http::Method::kGet;
    Question plain{.method = route.method, .path = HostilePath(route, text)};
    plain.query = form;
    plain.fields = {{"User-Agent", std::string(text)}};
    Question people = plain;
    people.fields.emplace_back("Accept", "text/html");
    people.fields.emplace_back("Cookie", fmt::format("lang={0}; theme={0}; __Host-koya={0}", text));
    if (!reads) {
      plain.body = fmt::format(R"({{"name":"a\r\nX-Evil: 1","reason":"a\nX-Evil: 1"}})");
      people.query.clear();
      people.body = form;
      people.fields.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    }
    return {plain, people};
  }

  ApiFixture api_;
};

TEST_F(HostileNamesTest, GetOutOfNoHeaderField) {
  const std::string admin = api_.Token(Scope::kAdmin);
  std::size_t asked = 0;
  for (const Route& route : Routes()) {
    for (std::string_view text : kHostileNames) {
      for (const Question& question : QuestionsFor(route, text)) {
        for (const std::string& token : {std::string(), admin}) {
          api_.token = token;
          const Reply reply = api_.Ask(question);
          ++asked;
          EXPECT_LT(reply.status, 500U) << route.pattern << " " << reply.body;
          for (const auto& [name, value] : reply.fields) {
            EXPECT_EQ(value.find_first_of(std::string_view("\r\n\0", 3)), value.npos)
                << route.pattern << " " << name << ": " << value;
            EXPECT_FALSE(name == "X-Evil" || value.contains("evil=1\"")) << route.pattern;
          }
        }
      }
    }
  }
  EXPECT_EQ(asked, Routes().size() * kHostileNames.size() * 4);
}

}  // namespace

}  // namespace koya::api
