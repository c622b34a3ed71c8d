#include "api/common/repository_url.h"

#include <gtest/gtest.h>

#include "web/common/view.h"

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

TEST(RepositoryUrlTest, ShowsTheSourceAtTheCommitThatCiClaims) {
  const std::string sha = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d";
  const std::string github = "https://token.actions.githubusercontent.com";
  const std::string vpc = "https://github.com/acme/vpc";
  const wire::Provenance job{{"iss", github}, {"repository", "acme/vpc"}, {"sha", sha}};
  const wire::Provenance gitlab{
      {"iss", "https://gitlab.example.com"}, {"project_path", "infra/vpc"}, {"sha", sha}};
  struct Case {
    std::string source;
    wire::Provenance provenance;
    std::string url, text;
  };
  std::vector<Case> cases{
      {vpc, job, vpc + "/tree/" + sha, "acme/vpc @ 1a2b3c4"},
      {vpc + "//modules/a", job, vpc + "/tree/" + sha + "/modules/a", "acme/vpc @ 1a2b3c4"},
      {"https://gitlab.example.com/infra/vpc", gitlab,
       "https://gitlab.example.com/infra/vpc/-/tree/" + sha, "infra/vpc @ 1a2b3c4"},
      // Stated by the publisher: no commit is known, or it is of another repository.
      {vpc + "//modules/a", {}, vpc, "acme/vpc"},
      {"https://github.com/other/vpc", job, "https://github.com/other/vpc", "other/vpc"},
      {vpc + std::string(200, 'c'),
       {},
       vpc + std::string(200, 'c'),
       "acme/vpc" + std::string(72, 'c') + "…"}};
  for (std::string_view bad : {"", "1a2b3c4", "HEAD", "../../../x", "<script>"}) {
    wire::Provenance other = job;
    other["sha"] = bad;
    cases.push_back({vpc, other, vpc, "acme/vpc"});
  }
  for (const Case& each : cases) {
    const web::ShownSource shown =
        ShownSourceOf(*SourceRepository::Parse(each.source), each.provenance);
    EXPECT_EQ(shown.url, each.url);
    EXPECT_EQ(shown.text, each.text);
  }
  EXPECT_EQ(ShownSourceOf(std::nullopt, job).url, "");
}

TEST(RepositoryUrlTest, WhatCiClaimsCountsMoreThanWhatThePublisherStates) {
  const std::string job = wire::EncodeProvenance(
      {{"iss", "https://token.actions.githubusercontent.com"}, {"repository", "acme/vpc"}});
  const std::string other = wire::EncodeProvenance({{"iss", "https://ci.example.com"}});
  struct Case {
    std::string provenance, stated, source;
  };
  for (const Case& each : {
           Case{"", "", ""},
           Case{other, "", ""},
           Case{job, "", "https://github.com/acme/vpc"},
           Case{"", "git@git.example:a/b//c", "https://git.example/a/b//c"},
           Case{other, "https://git.example/a/b", "https://git.example/a/b"},
           Case{job, "https://github.com/acme/vpc.git", "https://github.com/acme/vpc"},
           Case{job, "https://GitHub.com/Acme/VPC//x/y", "https://github.com/acme/vpc//x/y"},
       }) {
    auto source = SourceToPublish(each.provenance, each.stated);
    ASSERT_TRUE(source) << each.stated << source.error().message;
    EXPECT_EQ(*source ? (*source)->ToString() : "", each.source) << each.stated;
  }
  auto differs = SourceToPublish(job, "https://user:secret@github.com/acme/network");
  ASSERT_FALSE(differs);
  EXPECT_EQ(differs.error().kind, ErrorKind::kRefused);
  EXPECT_TRUE(differs.error().message.contains("https://github.com/acme/network, but"));
  EXPECT_TRUE(differs.error().message.contains("belongs to https://github.com/acme/vpc:"));
  for (const char* stated : {"acme/vpc", "http://github.com/acme/vpc", "https://github.com"}) {
    for (const std::string& provenance : {std::string(), job}) {
      auto source = SourceToPublish(provenance, stated);
      ASSERT_FALSE(source) << stated;
      EXPECT_EQ(source.error().kind, ErrorKind::kRefused);
    }
  }
}

}  // namespace
}  // namespace koya::api
