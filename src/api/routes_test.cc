#include "api/routes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "api/common/api_fixture_fake.h"
#include "api/common/call.h"
#include "http/server/head_parser.h"

namespace koya::api {
namespace {

std::string Heading(const Route& route) {
  return fmt::format("{} {}", http::MethodName(route.method), route.pattern);
}

TEST(RoutesTest, EveryTextIsOfARouteThatThereIs) {
  constexpr std::string_view kHeading = "## ";
  std::string_view rest = RouteDetails();
  std::size_t texts = 0;
  for (std::size_t at = rest.find(kHeading); at != rest.npos; at = rest.find("\n## ")) {
    rest.remove_prefix(rest.find(kHeading, at) + kHeading.size());
    std::string heading(rest.substr(0, rest.find('\n')));
    EXPECT_TRUE(std::ranges::any_of(Routes(), [&](const Route& route) {
      return Heading(route) == heading;
    })) << heading;
    ++texts;
  }
  EXPECT_GT(texts, 50U);
}

TEST(RoutesTest, EveryTextIsInTheDocument) {
  std::string document = ApiMarkdown();
  EXPECT_NE(document.find("`checksum=sha256:…`"), document.npos) << "of modules";
  EXPECT_NE(document.find("exactly these bytes were already stored"), document.npos)
      << "of the mirror";
  for (const Route& route : Routes()) {
    EXPECT_NE(document.find("`" + Heading(route) + "`"), document.npos) << Heading(route);
  }
}

TEST(RoutesTest, EveryPartOfAPathHasANameThatHandlersCanAskFor) {
  for (const Route& route : Routes()) {
    std::string_view rest = route.pattern;
    for (std::size_t open = rest.find('{'); open != rest.npos; open = rest.find('{')) {
      rest.remove_prefix(open + 1);
      std::string_view name = rest.substr(0, rest.find('}'));
      if (name.ends_with("...")) name.remove_suffix(3);
      EXPECT_NE(std::ranges::find(kPathNames, name), kPathNames.end()) << name;
    }
  }
}

// What an anonymous reader may cost is thought about before there is an address to ask.
TEST(RoutesTest, EveryRouteThatAnonymousReadersMayAskHasALineInTheLimits) {
  ApiFixture api;
  const std::string limits = api.Get("/-/docs/limits").body;
  const std::size_t begin = limits.find("What a reader may cost");
  ASSERT_NE(begin, limits.npos);
  const std::string section = limits.substr(begin, limits.find("<h2", begin) - begin);
  for (const Route& route : Routes()) {
    if (route.method != http::Method::kGet || !IsOpen(route.access)) continue;
    EXPECT_NE(section.find(fmt::format("<code>{}</code>", route.pattern)), section.npos)
        << route.pattern << " has no line in the table of docs/limits.md";
  }
}

}  // namespace
}  // namespace koya::api
