#include "api/routes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "api/common/api_fixture_fake.h"
#include "api/common/call.h"
#include "api/operations.h"
#include "http/server/head_parser.h"
#include "wire/endpoint.h"
#include "wire/tokens.h"

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
    if (!IsReading(route.access) && route.method != http::Method::kGet) continue;
    if (!IsOpen(route.access)) continue;
    EXPECT_NE(section.find(fmt::format("<code>{}</code>", route.pattern)), section.npos)
        << route.pattern << " has no line in the table of docs/limits.md";
  }
}

// The answer of a test's route, which is never called.
Task<http::Response> NotCalled(Call&) { co_return http::Response(); }

constexpr wire::Endpoint<wire::TokenRequest, wire::Token, 1> kEndpoint{"POST", "/api/v1/{name}"};
constexpr Route kRoute =
    Route::For(kEndpoint, Access::kSelf, BodyLimit::kSmall, NotCalled, "creates a token");

TEST(RoutesTest, ABlockDescribesItsRoute) {
  const Operation operation = DescribeOperation(
      kRoute, "Creates it.\n\n```api createIt\nbody: TokenRequest\n201: Token\n400 404\n```\n");
  EXPECT_EQ(operation.described.id, "createIt");
  EXPECT_EQ(operation.described.text, "Creates it.");
  EXPECT_EQ(operation.described.body->shape, "TokenRequest");
  EXPECT_EQ(operation.described.answers.size(), 6U) << "201 400 404, and of the table 401 403 413";
}

struct BadBlock {
  std::string_view details;
  std::string_view fault;
};

TEST(RoutesTest, ABlockThatContradictsItsEndpointStopsTheDescription) {
  constexpr BadBlock kBlocks[] = {
      {"```api a\nbody: Token\n201: Token\n```", "the endpoint takes \"TokenRequest\""},
      {"```api a\n201: Token\n```", "the endpoint takes \"TokenRequest\""},
      {"```api a\nbody: @application/zip\n201: Token\n```", "the endpoint takes"},
      {"```api a\nbody: TokenRequest\n201: User\n```", "the endpoint answers \"Token\""},
      {"```api a\nbody: TokenRequest\n204\n```", "the endpoint answers \"Token\""},
      {"```api a\nbody: TokenRequest\n200: {tokens: [Token]}\n```", "the endpoint answers"},
      {"```api a\nbody: TokenRequest\n201: Token", "it has no end"},
      {"```api a\nbody: TokenRequest\nbody: TokenRequest\n```", "body: TokenRequest"},
      {"```api a\nbody: TokenRequest\n201: Token\n999\n```", "999"},
      {"```api a\nbody: TokenRequest\n?limit\n```", "?limit"},
  };
  for (const BadBlock& bad : kBlocks) {
    try {
      DescribeOperation(kRoute, bad.details);
      ADD_FAILURE() << "was taken: " << bad.details;
    } catch (const std::logic_error& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.contains(bad.fault)) << what << " for " << bad.details;
      EXPECT_TRUE(what.contains("POST /api/v1/{name}")) << what;
    }
  }
}

}  // namespace
}  // namespace koya::api
