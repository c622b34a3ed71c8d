#include "upstream/guarded_request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::upstream {
namespace {

http::ClientResponse Redirect(std::string_view location, unsigned status = 302) {
  return {
      .status = status, .fields = {{"location", std::string(location)}}, .body = {}, .address = {}};
}

RedirectTrail From(std::string_view url) { return RedirectTrail(*http::ParseUrl(url)); }

TEST(RedirectTrailTest, TakesWhatIsNoRedirectForTheAnswer) {
  for (unsigned status : {200U, 204U, 300U, 304U, 404U, 500U}) {
    RedirectTrail trail = From("https://a.test/x");
    EXPECT_EQ(trail.FollowRedirect(Redirect("/y", status)), RedirectStep::kAnswer) << status;
    EXPECT_EQ(trail.here(), trail.first());
  }
}

TEST(RedirectTrailTest, KeepsWhereEachLed) {
  RedirectTrail trail = From("https://a.test/x/y?q");
  for (auto [location, url] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"z", "https://a.test/x/z"},
           {"/w?v", "https://a.test/w?v"},
           {"//b.test", "https://b.test/"}}) {
    EXPECT_EQ(trail.FollowRedirect(Redirect(location)), RedirectStep::kOnward);
    EXPECT_EQ(trail.here().ToString(), url);
  }
  EXPECT_EQ(trail.redirects().size(), 3u);
  EXPECT_EQ(trail.first().ToString(), "https://a.test/x/y?q");
}

TEST(RedirectTrailTest, LosesTheTokenForGoodWhenItLeavesSchemeHostOrPort) {
  for (auto [location, kept] :
       std::vector<std::pair<std::string_view, bool>>{{"/y", true},
                                                      {"https://a.test/y", true},
                                                      {"https://a.test:443/y", true},
                                                      {"https://A.TEST/y", true},
                                                      {"http://a.test/y", false},
                                                      {"https://a.test:8443/y", false},
                                                      {"https://below.a.test/y", false},
                                                      {"https://b.test/y", false}}) {
    RedirectTrail trail = From("https://a.test/x");
    ASSERT_EQ(trail.FollowRedirect(Redirect(location)), RedirectStep::kOnward) << location;
    EXPECT_EQ(trail.keeps_token(), kept) << location;
    ASSERT_EQ(trail.FollowRedirect(Redirect("https://a.test/x")), RedirectStep::kOnward);
    EXPECT_EQ(trail.keeps_token(), kept) << location;
  }
}

TEST(RedirectTrailTest, EndsWhereThereIsNowhereToGo) {
  RedirectTrail trail = From("https://a.test/x");
  EXPECT_EQ(trail.FollowRedirect({.status = 302, .fields = {}, .body = {}, .address = {}}),
            RedirectStep::kNowhere);
  EXPECT_EQ(trail.FollowRedirect(Redirect("http://")), RedirectStep::kNoUrl);
  for (std::size_t i = 0; i < RedirectTrail::kMaxRedirects; ++i) {
    EXPECT_EQ(trail.FollowRedirect(Redirect("/x")), RedirectStep::kOnward);
  }
  EXPECT_EQ(trail.FollowRedirect(Redirect("/x")), RedirectStep::kTooMany);
  EXPECT_EQ(trail.redirects().size(), RedirectTrail::kMaxRedirects);
}

}  // namespace
}  // namespace koya::upstream
