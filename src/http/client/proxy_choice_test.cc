#include "http/client/proxy_choice.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace koya::http {
namespace {

struct Row {
  std::string url;
  std::map<std::string, std::string> variables;
  std::string proxy;
};

void Expect(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    auto variable = [&](const char* name) -> const char* {
      auto found = row.variables.find(name);
      return found == row.variables.end() ? nullptr : found->second.c_str();
    };
    std::string shown = row.url;
    for (const auto& [name, value] : row.variables) shown += " " + name + "=" + value;
    EXPECT_EQ(ProxyFor(*ParseUrl(row.url), variable), row.proxy) << shown;
  }
}

TEST(ProxyChoiceTest, ReadsTheVariableOfTheScheme) {
  Expect({
      {"https://a.test/", {}, ""},
      {"https://a.test/", {{"https_proxy", "p:1"}, {"HTTPS_PROXY", "q:1"}}, "p:1"},
      {"https://a.test/", {{"https_proxy", ""}, {"HTTPS_PROXY", "q:1"}}, "q:1"},
      {"https://a.test/", {{"all_proxy", "p:2"}}, "p:2"},
      {"https://a.test/", {{"ALL_PROXY", "p:2"}, {"https_proxy", "p:1"}}, "p:1"},
      {"https://a.test/", {{"http_proxy", "p:3"}}, ""},
      {"http://a.test/", {{"http_proxy", "p:3"}}, "p:3"},
      {"http://a.test/", {{"HTTP_PROXY", "p:3"}}, ""},
      {"http://a.test/", {{"https_proxy", "p:3"}}, ""},
      {"http://a.test/", {{"all_proxy", "p:3"}}, "p:3"},
  });
}

TEST(ProxyChoiceTest, AsksListedHostsAndLoopbackDirectly) {
  for (const char* list : {"*", "a.test", ".a.test", "A.TEST", "b.test,a.test", "b.test a.test",
                           " a.test ,", "test"}) {
    Expect({{"https://a.test/", {{"https_proxy", "p:1"}, {"no_proxy", list}}, ""}});
    Expect({{"https://x.a.test./", {{"https_proxy", "p:1"}, {"NO_PROXY", list}}, ""}});
  }
  for (const char* list : {"10.1.2.3", "10.0.0.0/8", "1.1.1.1, 10.1.0.0/16"}) {
    Expect({{"https://10.1.2.3:8443/", {{"https_proxy", "p:1"}, {"no_proxy", list}}, ""}});
  }
  for (const char* list : {"2001:db8::1", "[2001:db8::1]", "2001:db8::/32"}) {
    Expect({{"https://[2001:db8::1]/", {{"https_proxy", "p:1"}, {"no_proxy", list}}, ""}});
  }
  for (const char* url : {"https://localhost:8443/", "https://127.0.0.1/", "https://[::1]/"}) {
    Expect({{url, {{"https_proxy", "p:1"}}, ""}});
  }
}

TEST(ProxyChoiceTest, ListsCoverNothingElse) {
  for (const char* list : {"", ",", "b.test", "xa.test", "a.test.b", "x.a.test", ".", "10.0.0.0/8",
                           "a.test/8", "*.test"}) {
    Expect({{"https://a.test/", {{"https_proxy", "p:1"}, {"no_proxy", list}}, "p:1"}});
  }
  Expect({
      {"https://ba.test/", {{"https_proxy", "p:1"}, {"no_proxy", "a.test"}}, "p:1"},
      {"https://10.1.2.3/", {{"https_proxy", "p:1"}, {"no_proxy", "2.3"}}, "p:1"},
      {"https://10.1.2.3/", {{"https_proxy", "p:1"}, {"no_proxy", "10.2.0.0/16"}}, "p:1"},
      {"https://10.1.2.3/", {{"https_proxy", "p:1"}, {"no_proxy", "::/0.x"}}, "p:1"},
  });
}

}  // namespace
}  // namespace koya::http
