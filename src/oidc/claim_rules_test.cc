#include "oidc/claim_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::oidc {
namespace {

using RuleTexts = std::vector<std::string>;

constexpr std::string_view kOwnIssuer = "https://ci.example.com";

// The claims of a job of GitHub Actions, with `more` before the end.
Claims GitHubJob(std::string_view repository, std::string_view ref, std::string_view more = "") {
  return Claims::Parse(R"({"iss":"https://token.actions.githubusercontent.com","aud":"a",)"
                       R"("exp":1733011500,"sub":"repo:x","repository":")" +
                       std::string(repository) + R"(","ref":")" + std::string(ref) + "\"" +
                       (more.contains("event_name") ? "" : R"(,"event_name":"push")") +
                       std::string(more) + "}")
      .value();
}

Claims GitLabJob(std::string_view project, std::string_view ref, std::string_view ref_type,
                 std::string_view more = "") {
  return Claims::Parse(R"({"iss":"https://gitlab.com","aud":"a","exp":1733011500,"sub":"x",)"
                       R"("project_path":")" +
                       std::string(project) + R"(","ref":")" + std::string(ref) +
                       R"(","ref_type":")" + std::string(ref_type) + "\"" +
                       (more.contains("pipeline_source") ? "" : R"(,"pipeline_source":"push")") +
                       (more.contains("ref_protected") ? "" : R"(,"ref_protected":"true")") +
                       std::string(more) + "}")
      .value();
}

TEST(ClaimRulesTest, TakesRulesThatSayWhoseJobsTheyAre) {
  for (const RuleTexts& rules : std::vector<RuleTexts>{
           {"repository=acme/infra"},
           {"repository=acme/*"},
           {"repository=acme/infra-*", "ref=refs/heads/main", "environment=prod*"},
           {"repository_owner=acme", "event_name=release"},
           {"repository_id=42"},
           {"repository_owner_id=42", "ref=*"},
           {"workflow_ref=acme/infra/.github/workflows/publish.yml@refs/heads/main"},
           {"job_workflow_ref=acme/ci/.github/workflows/p.yml@*", "repository=acme/*"},
           {"sub=repo:acme/infra:ref:refs/heads/main"},
           {"sub=repo:acme/*"},
           {"sub=project_path:acme/infra:ref_type:branch:*"},
           {"project_path=acme/team/infra"},
           {"namespace_path=acme"},
           {"namespace_path=acme/*"},
           {"project_id=7", "ref_protected=true"}}) {
    for (std::string_view issuer : {kGitHubIssuer, kGitLabIssuer, kOwnIssuer}) {
      const auto parsed = ClaimRules::Parse(issuer, rules);
      ASSERT_TRUE(parsed) << rules[0] << parsed.error().message;
      EXPECT_EQ(parsed->texts(), rules);
      EXPECT_EQ(parsed->issuer(), issuer);
    }
  }
}

TEST(ClaimRulesTest, RefusesRulesThatWouldTrustStrangers) {
  for (const RuleTexts& rules : std::vector<RuleTexts>{
           {},
           {"repository=*"},
           {"repository=**"},
           {"repository=*/*"},
           {"repository=*/infra"},
           {"repository=acme*"},
           {"repository=acme*/infra"},
           {"repository=acme"},
           {"repository=acme/"},
           {"repository=/infra"},
           {"repository=https://*"},
           {"repository=*", "repository_owner=acme"},
           {"repository_owner=*"},
           {"repository_owner=acme*"},
           {"repository_owner_id=*"},
           {"repository_owner_id=4*"},
           {"repository_id=*"},
           {"workflow_ref=*"},
           {"workflow_ref=*/publish.yml@refs/heads/main"},
           {"project_path=*"},
           {"project_path=acme*"},
           {"project_path=*/infra"},
           {"namespace_path=*"},
           {"namespace_path=acme*"},
           {"namespace_id=*"},
           {"project_id=1*"},
           {"sub=*"},
           {"sub=**"},
           {"sub=repo:*"},
           {"sub=repo:acme*"},
           {"sub=*:ref:refs/heads/main"},
           {"sub=project_path:*"},
           {"ref=refs/heads/main"},
           {"ref=main", "ref_type=branch"},
           {"environment=production"},
           {"ref=refs/heads/main", "environment=production", "event_name=push"},
           {"workflow=Publish"},
           {"job_workflow_ref=acme/ci/.github/workflows/publish.yml@refs/heads/main"},
           {"ref_protected=true"},
           {"repository_visibility=private"},
           {"runner_environment=self-hosted"}}) {
    for (std::string_view issuer : {kGitHubIssuer, kGitLabIssuer, kOwnIssuer}) {
      const auto parsed = ClaimRules::Parse(issuer, rules);
      ASSERT_FALSE(parsed) << testing::PrintToString(rules);
      EXPECT_EQ(parsed.error().kind, ErrorKind::kInvalid);
      EXPECT_TRUE(parsed.error().message.contains("would trust")) << parsed.error().message;
    }
  }
}

TEST(ClaimRulesTest, WhereAnybodyHasAnAccountOtherClaimsSayLittle) {
  const RuleTexts rules{"pipeline=infra", "ref=main"};
  EXPECT_TRUE(ClaimRules::Parse(kOwnIssuer, rules, IssuerUse::kOwn));
  EXPECT_TRUE(ClaimRules::ParseKept(kOwnIssuer, rules)) << "taken before it had to be said";
  const auto unsaid = ClaimRules::Parse(kOwnIssuer, rules);
  ASSERT_FALSE(unsaid);
  EXPECT_TRUE(unsaid.error().message.contains("--own-issuer")) << unsaid.error().message;
  for (std::string_view issuer : {std::string(kGitHubIssuer), std::string(kGitLabIssuer),
                                  std::string(kGitHubIssuer) + "/acme-corp"}) {
    for (const RuleTexts& each :
         {rules, RuleTexts{"sub=workflow:repo:acme/infra"}, RuleTexts{"actor=alice"}}) {
      EXPECT_FALSE(ClaimRules::Parse(issuer, each)) << issuer;
      EXPECT_FALSE(ClaimRules::Parse(issuer, each, IssuerUse::kOwn)) << issuer;
    }
  }
  EXPECT_FALSE(ClaimRules::Parse(kOwnIssuer, {"pipeline=infra*"}, IssuerUse::kOwn));
  EXPECT_FALSE(ClaimRules::Parse(kOwnIssuer, {"ref=main"}, IssuerUse::kOwn));
}

TEST(ClaimRulesTest, OfKnownIssuersItIsKnownWhichClaimsSayWhoseJobsTheyAre) {
  struct Row {
    std::string_view issuer;
    std::string_view rule;
    bool taken;
  };
  for (const Row& row : {
           Row{"https://agent.buildkite.com", "organization_slug=acme", true},
           {"https://agent.buildkite.com", "pipeline_slug=release", false},
           {"https://agent.buildkite.com", "organization_slug=acme*", false},
           {"https://agent.buildkite.com", "repository=acme/infra", false},
           {"https://agent.buildkite.com", "sub=organization:acme:pipeline:x", false},
           {"https://app.terraform.io", "terraform_organization_id=org-1", true},
           {"https://app.terraform.io", "terraform_workspace_name=prod", false},
           {"https://accounts.google.com", "sub=1042", true},
           {"https://accounts.google.com", "hd=corp.example", true},
           {"https://accounts.google.com", "email_verified=true", false},
           {"https://accounts.google.com.evil.example", "hd=corp.example", false},
           {"https://oidc.codefresh.io", "account_id=42", true},
           {"https://oidc.codefresh.io", "initiator=x", false},
           {"https://oidc.circleci.com/org/0f1e", "oidc.circleci.com/project-id=7", true},
           {"https://oidc.circleci.com/org/", "oidc.circleci.com/project-id=7", false},
           {"https://login.microsoftonline.com/1234/v2.0", "appid=7", true},
           {"https://login.microsoftonline.com/common/v2.0", "appid=7", false},
           {"https://ci.example.com", "sub=job:release", true},
           {"https://ci.example.com", "sub=job:*", false},
           {"https://ci.example.com", "pipeline=release", false},
       }) {
    const auto parsed = ClaimRules::Parse(row.issuer, {std::string(row.rule)});
    EXPECT_EQ(parsed.has_value(), row.taken) << row.issuer << " " << row.rule;
  }
}

TEST(ClaimRulesTest, RulesWithoutABranchOrEnvironmentTakeAnyRef) {
  for (const RuleTexts& rules : std::vector<RuleTexts>{{"repository=acme/infra"},
                                                       {"repository=acme/*", "ref=*"},
                                                       {"project_path=acme/infra"},
                                                       {"sub=repo:acme/infra:*"},
                                                       {"workflow_ref=acme/a/.github/w.yml@*"}}) {
    EXPECT_TRUE(ClaimRules::Parse(kOwnIssuer, rules)->TakesAnyRef()) << rules[0];
  }
  for (const RuleTexts& rules :
       std::vector<RuleTexts>{{"repository=acme/infra", "ref=refs/heads/main"},
                              {"repository=acme/infra", "environment=prod"},
                              {"sub=repo:acme/infra:ref:refs/heads/main"},
                              {"sub=repo:acme/infra:environment:prod"},
                              {"workflow_ref=acme/a/.github/w.yml@refs/heads/main"},
                              {"sub=job:release"}}) {
    EXPECT_FALSE(ClaimRules::Parse(kOwnIssuer, rules)->TakesAnyRef()) << rules[0];
  }
}

TEST(ClaimRulesTest, RefusesWhatIsNoRule) {
  const std::string anchor = "repository=acme/infra";
  for (const std::string& bad :
       {std::string(), std::string("ref"), std::string("=main"), std::string("ref="),
        std::string("re f=main"),
        std::string("r\xc3\xa9"
                    "f=main"),
        std::string("ref\n=main"), std::string("ref=ma\nin"), std::string("ref=\tmain"),
        std::string("ref=\xff"), std::string("ref=a\0b", 7), "ref=" + std::string(257, 'x'),
        std::string(129, 'x') + "=y", std::string("iss=https://gitlab.com"), std::string("aud=a"),
        std::string("exp=*"), std::string("nonce=*"), std::string("jti=*"),
        std::string("repository=acme/infra")}) {
    const auto parsed = ClaimRules::Parse(kGitHubIssuer, {anchor, bad});
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().kind, ErrorKind::kInvalid) << bad;
  }
  RuleTexts many{anchor};
  for (int i = 0; i < 15; ++i) many.push_back("c" + std::to_string(i) + "=x");
  EXPECT_TRUE(ClaimRules::Parse(kGitHubIssuer, many));
  many.push_back("more=x");
  EXPECT_FALSE(ClaimRules::Parse(kGitHubIssuer, many));
  for (std::string_view issuer : {"", "gitlab.com", "http://gitlab.com", "https://gitlab.com?x"}) {
    EXPECT_FALSE(ClaimRules::Parse(issuer, {anchor})) << issuer;
  }
  EXPECT_TRUE(ClaimRules::Parse(kGitHubIssuer, {anchor, "ref=a=b"}));
}

TEST(ClaimRulesTest, JudgesJobsOfGitHub) {
  const ClaimRules rules =
      ClaimRules::ForGitHub(
          {.repository = "acme/infra", .ref = "refs/tags/v*", .environment = "production"})
          .value();
  constexpr std::string_view kProduction = R"(,"environment":"production")";
  EXPECT_EQ(rules.texts(),
            (RuleTexts{"repository=acme/infra", "ref=refs/tags/v*", "environment=production"}));
  EXPECT_TRUE(rules.CheckClaims(GitHubJob("acme/infra", "refs/tags/v1.2.3", kProduction)));
  EXPECT_TRUE(rules.CheckClaims(GitHubJob("Acme/Infra", "refs/tags/v1", kProduction)));
  for (const Claims& stranger : {
           GitHubJob("acme/infra", "refs/tags/v1"),
           GitHubJob("acme/infra", "refs/tags/v1", R"(,"environment":"")"),
           GitHubJob("acme/infra", "refs/tags/v1", R"(,"environment":null)"),
           GitHubJob("acme/infra", "refs/tags/v1", R"(,"environment":["production"])"),
           GitHubJob("acme/infra", "refs/tags/v1", R"(,"environment":true)"),
           GitHubJob("acme/infra", "refs/tags/v1", R"(,"environment":"Production")"),
           GitHubJob("acme/infra", "refs/tags/V1", kProduction),
           GitHubJob("acme/infra", "refs/heads/v1", kProduction),
           GitHubJob("acme/infra", "refs/heads/x/refs/tags/v1", kProduction),
           GitHubJob("acme/infra", "refs/pull/1/merge", kProduction),
           GitHubJob("acme/infra2", "refs/tags/v1", kProduction),
           GitHubJob("evil/infra", "refs/tags/v1", kProduction),
           GitHubJob("evil/acme/infra", "refs/tags/v1", kProduction),
       }) {
    const auto status = rules.CheckClaims(stranger);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::kForbidden);
    EXPECT_FALSE(status.error().message.contains("refs/tags/v*")) << status.error().message;
  }
}

TEST(ClaimRulesTest, AStarIsNotSatisfiedByWhatIsNotThere) {
  const ClaimRules rules =
      ClaimRules::Parse(kGitHubIssuer, {"repository=acme/*", "environment=*"}).value();
  EXPECT_TRUE(rules.CheckClaims(GitHubJob("acme/x", "r", R"(,"environment":"any")")));
  for (std::string_view more : {"", R"(,"environment":"")", R"(,"environment":1)",
                                R"(,"Environment":"any")", R"(,"environment":{"a":"b"})"}) {
    EXPECT_FALSE(rules.CheckClaims(GitHubJob("acme/x", "r", more))) << more;
  }
}

TEST(ClaimRulesTest, TheSameClaimsOfAnotherIssuerAreNotTrusted) {
  const ClaimRules rules =
      ClaimRules::Parse("https://github.example.com/_services/token", {"repository=acme/*"})
          .value();
  EXPECT_FALSE(rules.CheckClaims(GitHubJob("acme/infra", "refs/heads/main")));
}

TEST(ClaimRulesTest, WhatStrangersCanStartIsTrustedOnlyWhenThatIsSaid) {
  const ClaimRules plain = ClaimRules::ForGitHub({.repository = "acme/infra"}).value();
  const ClaimRules told =
      ClaimRules::Parse(kGitHubIssuer, {"repository=acme/infra", "event_name=workflow_run"})
          .value();
  const auto job = [](std::string_view event) {
    return GitHubJob("acme/infra", "refs/heads/main",
                     R"(,"event_name":")" + std::string(event) + "\"");
  };
  for (std::string_view event : {"push", "create", "release", "workflow_dispatch", "schedule",
                                 "repository_dispatch", "merge_group", "deployment"}) {
    EXPECT_TRUE(plain.CheckClaims(job(event))) << event;
  }
  for (std::string_view event : {"pull_request_target", "workflow_run", "pull_request",
                                 "issue_comment", "issues", "discussion", "discussion_comment",
                                 "fork", "watch", "Push", "push create", "of tomorrow", ""}) {
    const auto status = plain.CheckClaims(job(event));
    ASSERT_FALSE(status) << event;
    EXPECT_TRUE(status.error().message.contains("--claim event_name=")) << status.error().message;
  }
  EXPECT_FALSE(
      plain.CheckClaims(GitHubJob("acme/infra", "refs/heads/main", R"(,"event_name":["push"])")));
  EXPECT_TRUE(told.CheckClaims(job("workflow_run")));
  EXPECT_FALSE(told.CheckClaims(job("pull_request_target")));
}

TEST(ClaimRulesTest, JudgesJobsOfGitLab) {
  const ClaimRules branch =
      ClaimRules::ForGitLab({.project = "acme/team/infra", .ref = "main"}).value();
  EXPECT_EQ(branch.texts(), (RuleTexts{"project_path=acme/team/infra", "ref=main",
                                       "ref_type=branch", "ref_protected=true"}));
  EXPECT_TRUE(branch.CheckClaims(GitLabJob("acme/team/infra", "main", "branch")));
  EXPECT_TRUE(branch.CheckClaims(GitLabJob("Acme/Team/infra", "main", "branch")));
  EXPECT_FALSE(branch.CheckClaims(GitLabJob("acme/team/infra", "main", "tag")));
  EXPECT_FALSE(branch.CheckClaims(GitLabJob("acme/team/infra", "Main", "branch")));
  EXPECT_FALSE(branch.CheckClaims(GitLabJob("acme/infra", "main", "branch")));
  const ClaimRules tags = ClaimRules::ForGitLab({.project = "acme/*",
                                                 .ref = "refs/tags/v*",
                                                 .environment = "prod",
                                                 .issuer = "https://gitlab.example.com"})
                              .value();
  EXPECT_EQ(tags.texts(), (RuleTexts{"project_path=acme/*", "ref=v*", "ref_type=tag",
                                     "ref_protected=true", "environment=prod"}));
  EXPECT_EQ(tags.issuer(), "https://gitlab.example.com");
  EXPECT_FALSE(tags.CheckClaims(GitLabJob("acme/infra", "v1", "tag", R"(,"environment":"prod")")));
  const ClaimRules nested =
      ClaimRules::ForGitLab({.project = "acme/infra", .ref = "refs/heads/release/*"}).value();
  EXPECT_EQ(nested.texts()[1], "ref=release/*");
  const ClaimRules open =
      ClaimRules::ForGitLab({.project = "acme/infra", .ref = "main", .unprotected = true}).value();
  EXPECT_EQ(open.texts().size(), 3U);
  constexpr std::string_view kUnprotected = R"(,"ref_protected":"false")";
  EXPECT_TRUE(open.CheckClaims(GitLabJob("acme/infra", "main", "branch", kUnprotected)));
  EXPECT_FALSE(branch.CheckClaims(GitLabJob("acme/team/infra", "main", "branch", kUnprotected)));
}

TEST(ClaimRulesTest, AMergeRequestFromABranchOfThatNameIsNotThatBranch) {
  const ClaimRules rules =
      ClaimRules::ForGitLab({.project = "acme/infra", .ref = "main", .unprotected = true}).value();
  auto judged = [&rules](std::string_view source, std::string_view path,
                         std::string_view type = "branch") {
    return rules.CheckClaims(GitLabJob("acme/infra", "main", type,
                                       R"(,"pipeline_source":")" + std::string(source) +
                                           R"(","ref_path":")" + std::string(path) + "\""));
  };
  for (std::string_view source :
       {"push", "web", "schedule", "api", "trigger", "pipeline", "parent_pipeline"}) {
    EXPECT_TRUE(judged(source, "refs/heads/main")) << source;
  }
  EXPECT_FALSE(judged("merge_request_event", "refs/merge-requests/5/head"));
  EXPECT_FALSE(judged("merge_request_event", "refs/heads/main"));
  EXPECT_FALSE(judged("external_pull_request_event", "refs/heads/main"));
  EXPECT_FALSE(judged("chat", "refs/heads/main"));
  for (std::string_view path : {"refs/merge-requests/5/head", "refs/heads/main2", "refs/tags/main",
                                "main", "refs/heads/refs/heads/main"}) {
    EXPECT_FALSE(judged("push", path)) << path;
  }
  EXPECT_FALSE(
      rules.CheckClaims(GitLabJob("acme/infra", "main", "branch", R"(,"pipeline_source":"")")));
  // A self-managed server says the same; one that says nothing is no forge.
  const ClaimRules own = ClaimRules::Parse(kOwnIssuer, {"project_path=acme/infra"}).value();
  auto of_own = [&own](std::string_view more) {
    return own.CheckClaims(*Claims::Parse(R"({"iss":"https://ci.example.com","aud":"a","sub":"x",)"
                                          R"("exp":1733011500,"project_path":"acme/infra")" +
                                          std::string(more) + "}"));
  };
  EXPECT_TRUE(of_own(""));
  EXPECT_TRUE(of_own(R"(,"pipeline_source":"push")"));
  EXPECT_FALSE(of_own(R"(,"pipeline_source":"merge_request_event")"));
  EXPECT_FALSE(of_own(R"(,"event_name":"issue_comment")"));
}

TEST(ClaimRulesTest, PresetsRefuseWhatIsNoRepositoryOrRef) {
  for (std::string_view bad :
       {"", "acme", "acme/", "/infra", "*", "*/*", "*/infra", "acme*", "acme*/infra",
        "https://github.com/acme/infra", "github.com/acme/infra", "acme//infra", "acme/infra/",
        "acme/in fra", "acme/infra=x", "acme/infra\n", "acme/infra.git/x", "git@github.com:acme/x",
        "日本/infra"}) {
    EXPECT_FALSE(ClaimRules::ForGitHub({.repository = std::string(bad)})) << bad;
  }
  for (std::string_view bad :
       {"", "acme", "acme/", "/infra", "*", "*/infra", "acme*/infra", "https://gitlab.com/acme/x",
        "acme//infra", "acme/infra/", "acme/in fra"}) {
    EXPECT_FALSE(ClaimRules::ForGitLab({.project = std::string(bad)})) << bad;
  }
  for (std::string_view bad :
       {"refs/heads/", "refs/tags/", "refs/", "refs/*", "refs/pull/1/merge", "refs/heads/a\nb"}) {
    EXPECT_FALSE(ClaimRules::ForGitHub({.repository = "acme/infra", .ref = std::string(bad)}))
        << bad;
    EXPECT_FALSE(ClaimRules::ForGitLab({.project = "acme/infra", .ref = std::string(bad)})) << bad;
  }
  EXPECT_FALSE(ClaimRules::ForGitHub({.repository = "acme/infra", .issuer = "github.com"}));
  EXPECT_EQ(ClaimRules::ForGitHub({.repository = "acme/infra", .ref = "main"})->texts()[1],
            "ref=refs/heads/main");
}

}  // namespace
}  // namespace koya::oidc
