#include "api/common/repository_url.h"

#include <gtest/gtest.h>

namespace koya::api {
namespace {

TEST(RepositoryUrlTest, FollowsFromTheClaimsOfItsIssuer) {
  struct Case {
    wire::Provenance provenance;
    const char* url;
  };
  const std::string github = "https://token.actions.githubusercontent.com";
  for (const Case& each : {
           Case{{{"iss", github}, {"repository", "acme/vpc"}}, "https://github.com/acme/vpc"},
           Case{{{"iss", github + "/kumo"}, {"repository", "acme/terraform-aws-vpc.v2"}},
                "https://github.com/acme/terraform-aws-vpc.v2"},
           Case{{{"iss", "https://ghe.example.com/_services/token"}, {"repository", "acme/vpc"}},
                "https://ghe.example.com/acme/vpc"},
           Case{{{"iss", "https://gitlab.com"}, {"project_path", "acme/infra/vpc"}},
                "https://gitlab.com/acme/infra/vpc"},
           Case{{{"iss", "https://gitlab.example.com:8443/"}, {"project_path", "acme/vpc"}},
                "https://gitlab.example.com:8443/acme/vpc"},
       }) {
    EXPECT_EQ(RepositoryUrl(each.provenance), each.url);
  }
}

TEST(RepositoryUrlTest, IsLeftOutOfAllElse) {
  const std::string github = "https://token.actions.githubusercontent.com";
  const wire::Provenance kCases[] = {
      {},
      {{"repository", "acme/vpc"}},
      {{"iss", github}},
      {{"iss", github}, {"project_path", "acme/vpc"}},
      {{"iss", github}, {"repository", "vpc"}},
      {{"iss", github}, {"repository", "../vpc"}},
      {{"iss", github}, {"repository", "acme//vpc"}},
      {{"iss", github}, {"repository", "/acme/vpc"}},
      {{"iss", github}, {"repository", "acme/vpc/"}},
      {{"iss", github}, {"repository", "acme/vpc?token=x"}},
      {{"iss", github}, {"repository", "acme/vpc#x"}},
      {{"iss", github}, {"repository", "git@github.com:acme/vpc"}},
      {{"iss", github}, {"repository", "ssh://git@github.com/acme/vpc"}},
      {{"iss", github}, {"repository", "acme/v pc"}},
      {{"iss", github}, {"repository", "acme/\xC3\xA9"}},
      {{"iss", github + ".evil.example"}, {"repository", "acme/vpc"}},
      {{"iss", "https://ci.example.com"}, {"repository", "acme/vpc"}},
      {{"iss", "http://gitlab.example.com"}, {"project_path", "acme/vpc"}},
      {{"iss", "gitlab.example.com"}, {"project_path", "acme/vpc"}},
      {{"iss", "https://user:secret@gitlab.example.com"}, {"project_path", "acme/vpc"}},
  };
  for (const wire::Provenance& each : kCases) {
    const std::string url = RepositoryUrl(each);
    EXPECT_FALSE(url.contains("secret")) << url;
    if (each.contains("iss") && each.at("iss").contains('@')) continue;  // or left out
    EXPECT_EQ(url, "");
  }
}

}  // namespace
}  // namespace koya::api
