#include "http/url.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::http {
namespace {

struct Accepted {
  std::string_view text;
  std::string_view authority;
  std::string_view shown;
};

TEST(UrlTest, ReadsAbsoluteUrls) {
  const std::vector<Accepted> kAccepted = {
      {"https://example.com", "example.com", "https://example.com/"},
      {"HTTPS://Example.COM/", "example.com", "https://example.com/"},
      {"https://example.com:443/x", "example.com", "https://example.com/x"},
      {"https://example.com:8443/x?y=z#f", "example.com:8443", "https://example.com:8443/x?y=z#f"},
      {"http://127.0.0.1:80/", "127.0.0.1", "http://127.0.0.1/"},
      {"https://[::1]:8443/", "[::1]:8443", "https://[::1]:8443/"},
      {"https://user:secret@example.com/x", "example.com", "https://example.com/x"},
      {"git://example.com/r.git", "example.com", "git://example.com/r.git"},
      {"https://M\u00FCnchen.example/x", "xn--mnchen-3ya.example",
       "https://xn--mnchen-3ya.example/x"},
      {"https://\u65E5\u672C\u3002example", "xn--wgv71a.example", "https://xn--wgv71a.example/"},
  };
  for (const Accepted& each : kAccepted) {
    Result<Url> url = ParseUrl(each.text);
    ASSERT_TRUE(url) << each.text << ": " << url.error().message;
    EXPECT_EQ(url->Authority(), each.authority) << each.text;
    EXPECT_EQ(url->ToString(), each.shown) << each.text;
  }
}

TEST(UrlTest, RefusesWhatIsNoUrl) {
  for (std::string_view text :
       {"", "example.com", "/v1/modules/", "https://", "https://exa mple.com/",
        "https://example.com:99999/", "https://example.com:x/", "https://[::1/", "://example.com",
        "https://example.com/\n"}) {
    EXPECT_FALSE(ParseUrl(text)) << text;
  }
  EXPECT_FALSE(ParseUrl(std::string_view("https://example.com/\0x", 22)));
}

TEST(UrlTest, TakesAHostThatIsNoInternationalNameAsItIs) {
  auto url = ParseUrl("https://a%CCb.example/x");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host,
            "a\xCC"
            "b.example");
}

TEST(UrlTest, KnowsPortsAndUserInformation) {
  EXPECT_EQ(ParseUrl("https://a.test/")->PortNumber(), 443);
  EXPECT_EQ(ParseUrl("http://a.test/")->PortNumber(), 80);
  EXPECT_EQ(ParseUrl("http://a.test:8080/")->PortNumber(), 8080);
  EXPECT_FALSE(ParseUrl("https://a.test/")->has_user_info);
  EXPECT_TRUE(ParseUrl("https://u@a.test/")->has_user_info);
}

struct Resolved {
  std::string_view base;
  std::string_view reference;
  std::string_view result;  // "" when it is refused
};

TEST(UrlTest, ResolvesReferencesAsClientsDo) {
  constexpr std::string_view kBase = "https://a.test/.well-known/terraform.json";
  const std::vector<Resolved> kCases = {
      {kBase, "/v1/modules/", "https://a.test/v1/modules/"},
      {kBase, "v1/modules/", "https://a.test/.well-known/v1/modules/"},
      {kBase, "../v1/modules/", "https://a.test/v1/modules/"},
      {kBase, "//cdn.test/x/", "https://cdn.test/x/"},
      {kBase, "http://b.test/x/", "http://b.test/x/"},
      {kBase, "/v1/../v2/", "https://a.test/v2/"},
      {"https://a.test:8443/x/y", "./z?q=1", "https://a.test:8443/x/z?q=1"},
      {kBase, "", ""},
      {kBase, "https://", ""},
  };
  for (const Resolved& each : kCases) {
    Result<Url> url = ResolveUrl(*ParseUrl(each.base), each.reference);
    ASSERT_EQ(url.has_value(), !each.result.empty()) << each.reference;
    if (url) {
      EXPECT_EQ(url->ToString(), each.result) << each.reference;
    }
  }
}

TEST(UrlTest, KnowsLoopback) {
  for (std::string_view host : {"localhost", "127.0.0.1", "127.1.2.3", "[::1]"}) {
    EXPECT_TRUE(IsLoopbackHost(host)) << host;
  }
  for (std::string_view host :
       {"example.com", "10.0.0.1", "localhost.example.com", "127.0.0.1.example.com", "[::2]"}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
  }
}

}  // namespace
}  // namespace koya::http
