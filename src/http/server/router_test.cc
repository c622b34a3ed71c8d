#include "http/server/router.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace koya::http {
namespace {

std::vector<RouteSpec> Routes() {
  using enum Method;
  return {
      {kGet, "/", 0, {}},
      {kGet, "/.well-known/terraform.json", 0, {}},
      {kGet, "/v1/modules", 0, {}},
      {kGet, "/v1/modules/search", 0, {}},
      {kGet, "/v1/modules/{ns}", 0, {}},
      {kGet, "/v1/modules/{ns}/{name}/{system}/versions", 0, {}},
      {kGet, "/v1/modules/{ns}/{name}/{system}/{version}", 0, {}},
      {kGet, "/v1/modules/{ns}/{name}/{system}/{version}/download", 0, {}},
      {kPut, "/v1/modules/{ns}/{name}/{system}/{version}", 5, {}},
      {kDelete, "/v1/modules/{ns}/{name}/{system}/{version}", 0, {}},
      {kPost, "/v1/modules/search", 9, {}},
      {kGet, "/folder/", 0, {}},
      {kGet, "/files/{ns}/{path...}", 0, {}},
      {kGet, "/files/{ns}/{name}/raw", 0, {}},
      {kHead, "/head-only", 0, {}},
      {kGet, "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15", 0, {}},
  };
}

template <class Finder>
std::string Found(Finder&& router, Method method, std::string_view path) {
  Router::Match match = router.FindRoute(method, path);
  if (match.route == nullptr) return "allow: " + match.allow;
  std::string found = match.route->pattern;
  for (std::size_t i = 0; i < match.parameters.count; ++i) {
    found += " " + std::string(match.parameters[i]);
  }
  return found;
}

TEST(Router, TellsLiteralsApartThatLookAlike) {
  using enum Method;
  Router router({{kGet, "/abcde", 0, {}},
                 {kGet, "/axcye", 0, {}},
                 {kGet, "/abcdf", 0, {}},
                 {kGet, "/{name}", 0, {}}});
  for (std::string_view path : {"/abcde", "/axcye", "/abcdf"}) {
    EXPECT_EQ(Found(router, kGet, path), path);
  }
  EXPECT_EQ(Found(router, kGet, "/aycxe"), "/{name} aycxe");
  EXPECT_EQ(Found(router, kGet, "/abcd"), "/{name} abcd");
}

TEST(Router, FindsRoutesAndNames) {
  struct Case {
    Method method;
    std::string_view path;
    std::string_view found;
  };
  using enum Method;
  const Case kCases[] = {
      {kGet, "/", "/"},
      {kHead, "/", "/"},
      {kHead, "/head-only", "/head-only"},
      {kGet, "/.well-known/terraform.json", "/.well-known/terraform.json"},
      {kGet, "/v1/modules", "/v1/modules"},
      {kGet, "/v1/modules/acme", "/v1/modules/{ns} acme"},
      {kGet, "/v1/modules/search", "/v1/modules/search"},
      {kGet, "/v1/modules/a/b/c/versions", "/v1/modules/{ns}/{name}/{system}/versions a b c"},
      {kGet, "/v1/modules/a/b/c/1.0.0", "/v1/modules/{ns}/{name}/{system}/{version} a b c 1.0.0"},
      {kPut, "/v1/modules/a/b/c/versions",
       "/v1/modules/{ns}/{name}/{system}/{version} a b c versions"},
      {kGet, "/v1/modules/search/b/c/versions",
       "/v1/modules/{ns}/{name}/{system}/versions search b c"},
      {kGet, "/folder/", "/folder/"},
      {kGet, "/files/a/b", "/files/{ns}/{path...} a b"},
      {kGet, "/files/a/b/c/d.tf", "/files/{ns}/{path...} a b/c/d.tf"},
      {kHead, "/files/a/b/c", "/files/{ns}/{path...} a b/c"},
      {kGet, "/files/a/b/raw", "/files/{ns}/{name}/raw a b"},
      {kGet, "/files/a/b/raw/c", "/files/{ns}/{path...} a b/raw/c"},
      {kPost, "/files/a/b/c", "allow: GET, HEAD, OPTIONS"},
      {kGet, "/files/a/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18",
       "/files/{ns}/{path...} a 1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18"},
      {kGet, "/files/a/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17//18", "allow: "},
      {kGet, "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/x", "allow: "},
      {kGet, "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15", "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15"},
      {kGet, "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", "allow: "},
      {kGet, "/files/a", "allow: "},
      {kGet, "/files/a/", "allow: "},
      {kGet, "/files/a/b/", "allow: "},
      {kGet, "/files/a/b//c", "allow: "},
      // Not found:
      {kGet, "/nothing", "allow: "},
      {kGet, "/v1/modules/", "allow: "},
      {kGet, "/v1/modules/a/b/c/", "allow: "},
      {kGet, "/folder", "allow: "},
      {kGet, "", "allow: "},
      {kGet, "v1/modules", "allow: "},
      {kGet, "/V1/modules", "allow: "},
      // Found for other methods:
      {kPost, "/", "allow: GET, HEAD, OPTIONS"},
      {kGet, "/head-only", "allow: HEAD, OPTIONS"},
      {kPost, "/v1/modules/a/b/c/1.0.0", "allow: GET, HEAD, PUT, DELETE, OPTIONS"},
      {kDelete, "/v1/modules/search", "allow: GET, HEAD, POST, OPTIONS"},
      {kOther, "/v1/modules/acme", "allow: GET, HEAD, OPTIONS"},
  };
  Router router(Routes());
  for (const Case& c : kCases) EXPECT_EQ(Found(router, c.method, c.path), c.found) << c.path;
  RouteCache cache(router);
  for (int round = 0; round < 3; ++round) {
    for (const Case& c : kCases) {
      const std::string path(c.path);  // elsewhere in memory than the one it is known by
      EXPECT_EQ(Found(cache, c.method, path), c.found) << c.path;
    }
  }
}

TEST(RouteCache, FindsWhatTheRouterFinds) {
  Router router({{Method::kGet, "/{a}/{b}", 0, {}}, {Method::kPut, "/{c}/{d}", 0, {}}});
  RouteCache cache(router);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 2000; ++i) {  // more than it has slots
      const std::string path = "/" + std::to_string(i % 40) + "/" + std::string(i % 140, 'x');
      for (Method method : {Method::kGet, Method::kPut, Method::kDelete}) {
        EXPECT_EQ(Found(cache, method, path), Found(router, method, path)) << path;
      }
    }
  }
}

TEST(Router, FindsEachOfManyLiterals) {
  std::vector<RouteSpec> routes;
  for (int i = 0; i < 100; ++i) {
    routes.push_back({Method::kGet, "/page-" + std::to_string(i) + "/x", 0, {}});
  }
  Router router(routes);
  for (const RouteSpec& route : routes) {
    EXPECT_EQ(Found(router, Method::kGet, route.pattern), route.pattern);
    EXPECT_EQ(Found(router, Method::kGet, route.pattern.substr(0, route.pattern.size() - 2)),
              "allow: ");
  }
  EXPECT_EQ(Found(router, Method::kGet, "/page-100/x"), "allow: ");
}

TEST(Router, NamesEveryMethodInUse) {
  EXPECT_EQ(Router(Routes()).AllowedAnywhere(), "GET, HEAD, PUT, POST, DELETE, OPTIONS");
  EXPECT_EQ(Router({}).AllowedAnywhere(), "");
}

TEST(Router, RefusesAWrongTable) {
  using enum Method;
  EXPECT_THROW(Router({{kGet, "/{a}", 0, {}}, {kGet, "/{b}", 0, {}}}), std::logic_error);
  EXPECT_THROW(Router({{kGet, "a", 0, {}}}), std::logic_error);
  EXPECT_THROW(Router({{kGet, "/{a...}/b", 0, {}}}), std::logic_error);
  EXPECT_THROW(Router({{kGet, "/{1}/{2}/{3}/{4}/{5}/{6}/{7}/{8}/{9}", 0, {}}}), std::logic_error);
}

TEST(RouterTest, WhatNoRouteMatchesIsAnsweredElsewhereWhenItIsRead) {
  Router router({{.method = Method::kPut, .pattern = "/a"}}, RouteSpec{.pattern = "elsewhere"});
  for (Method method : {Method::kGet, Method::kHead}) {
    Router::Match match = router.FindRoute(method, "/nowhere/at/all");
    ASSERT_NE(match.route, nullptr);
    EXPECT_EQ(match.route->pattern, "elsewhere");
  }
  EXPECT_EQ(router.FindRoute(Method::kPut, "/nowhere").route, nullptr);
  EXPECT_EQ(router.FindRoute(Method::kGet, "/a").route, nullptr) << "the path takes another method";
  EXPECT_EQ(router.FindRoute(Method::kGet, "*").route, nullptr);
}

}  // namespace
}  // namespace koya::http
