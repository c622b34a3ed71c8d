#include "web/site/setup_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "web/common/html_page_fake.h"
#include "web/sample_pages_fake.h"

namespace koya::web {
namespace {

SetupPage PageFor(std::string_view tool, std::string_view system, std::string_view purpose,
                  std::string_view sign_in, std::string_view hosts = "") {
  return {.choice = SetupChoice::Read(tool, system, purpose, sign_in, hosts),
          .url = "https://koya.test",
          .host = *HostName::Parse("koya.test")};
}

TEST(SetupChoiceTest, TakesWhatIsNoChoiceForTheFirst) {
  for (std::string_view absurd : {"", "OpenTofu", "emacs", "\xFF", "-1", "opentofu "}) {
    const SetupChoice choice = SetupChoice::Read(absurd, absurd, absurd, absurd, absurd);
    EXPECT_EQ(choice.tool, SetupTool::kOpenTofu) << absurd;
    EXPECT_EQ(choice.system, SetupSystem::kLinux) << absurd;
    EXPECT_EQ(choice.purpose, SetupPurpose::kOwn) << absurd;
    EXPECT_EQ(choice.sign_in, SetupSignIn::kLogin) << absurd;
  }
}

TEST(SetupChoiceTest, TakesNamesOfRegistriesAndNothingElse) {
  const SetupChoice choice =
      SetupChoice::Read("", "", "all", "", "A.example, b.example  https://x/ ../.. a.example");
  ASSERT_EQ(choice.hosts.size(), 2U);
  EXPECT_EQ(choice.hosts[0].display(), "a.example");
  EXPECT_EQ(SetupChoice::Read("", "", "", "", "!").hosts[0].display(), "registry.opentofu.org");
  EXPECT_EQ(SetupChoice::Read("terraform", "", "", "", "").hosts[0].display(),
            "registry.terraform.io");
  std::string many;
  for (int i = 0; i < 50; ++i) many += fmt::format("h{}.example ", i);
  EXPECT_EQ(SetupChoice::Read("", "", "", "", many).hosts.size(), 8U);
}

struct SetupRow {
  SetupPage page;
  std::string_view command;
  std::string_view file;  // its name
};

TEST(SetupTextsTest, AreForTheToolAndTheSystem) {
  for (const SetupRow& row :
       {SetupRow{PageFor("opentofu", "linux", "own", "login"), "tofu login koya.test", "~/.tofurc"},
        SetupRow{PageFor("terragrunt", "macos", "own", "login"), "tofu login koya.test",
                 "~/.tofurc"},
        SetupRow{PageFor("terraform", "linux", "own", "login"), "terraform login koya.test",
                 "~/.terraformrc"},
        SetupRow{PageFor("terraform", "windows", "own", "variable"),
                 "[Environment]::SetEnvironmentVariable(\"TF_TOKEN_koya_test\", "
                 "\"PUT-THE-TOKEN-HERE\", \"User\")",
                 "%APPDATA%\\terraform.rc"},
        SetupRow{PageFor("opentofu", "linux", "own", "variable"),
                 "export TF_TOKEN_koya_test=PUT-THE-TOKEN-HERE", "~/.tofurc"},
        SetupRow{PageFor("opentofu", "linux", "own", "file"), "", "~/.tofurc"},
        SetupRow{PageFor("opentofu", "github", "own", "login"), "", "~/.tofurc"}}) {
    EXPECT_EQ(SetupCommands(row.page), row.command);
    EXPECT_EQ(SetupFileName(row.page.choice), row.file);
  }
}

TEST(SetupTextsTest, AFileIsThereWhereOneIsNeeded) {
  EXPECT_EQ(*SetupFile(PageFor("opentofu", "linux", "own", "login")), "");
  EXPECT_EQ(*SetupFile(PageFor("opentofu", "linux", "own", "file")),
            "credentials \"koya.test\" {\n  token = \"PUT-THE-TOKEN-HERE\"\n}\n");
  const std::string all = *SetupFile(PageFor("opentofu", "linux", "all", "login", "a.example"));
  EXPECT_TRUE(all.contains("host \"a.example\"")) << all;
  EXPECT_TRUE(all.contains("https://koya.test/origin/a.example/v1/providers/")) << all;
  const std::string mirror =
      *SetupFile(PageFor("opentofu", "linux", "mirror", "login", "a.example"));
  EXPECT_TRUE(mirror.contains("url     = \"https://koya.test/mirror/\"")) << mirror;
  SetupPage both = PageFor("opentofu", "linux", "mirror", "login", "a.example");
  both.choice.direct = true;
  EXPECT_TRUE(mirror.contains("exclude") && !SetupFile(both)->contains("exclude"));
  SetupPage plain = PageFor("opentofu", "linux", "mirror", "login", "a.example");
  plain.url = "http://127.0.0.1:8080";
  EXPECT_FALSE(SetupFile(plain)) << "clients take no mirror without TLS";
}

TEST(SetupTextsTest, StepsOfCiHoldNoRemarksAndASecretInPlaceOfAToken) {
  for (std::string_view system : {"github", "gitlab", "jenkins", "docker"}) {
    const SetupPage page = PageFor("opentofu", system, "all", "login", "a.example");
    const std::string step = SetupStep(page, *SetupFile(page));
    EXPECT_TRUE(step.contains("tofu init")) << step;
    EXPECT_TRUE(step.contains("TF_TOKEN_koya_test")) << step;
    EXPECT_TRUE(step.contains("host \"a.example\"")) << step;
    EXPECT_FALSE(step.contains("# To check")) << step;
    EXPECT_FALSE(step.contains("PUT-THE-TOKEN-HERE")) << step;
  }
  EXPECT_EQ(SetupStep(PageFor("opentofu", "linux", "all", "login"), "x"), "");
}

TEST(SetupTextsTest, NoTokenStandsInAPipelineWhateverWasChosen) {
  for (std::string_view system : {"github", "gitlab", "jenkins", "docker"}) {
    SetupPage page = PageFor("opentofu", system, "all", "file", "a.example:8080");
    page.host = *HostName::Parse("koya.test:8443");
    page.mirror_wants_token = true;
    const std::string step = SetupStep(page, *SetupFile(page));
    EXPECT_FALSE(step.contains("credentials \"")) << step;
    EXPECT_TRUE(
        step.contains("env \"TF_TOKEN_koya_test:8443=$KOYA_TOKEN\" "
                      "\"TF_TOKEN_a_example:8080=$KOYA_TOKEN\" tofu init"))
        << step;
  }
}

TEST(SetupTextsTest, WhatIsReachedThroughHereHasTheTokenUnderItsOwnName) {
  SetupPage page = PageFor("opentofu", "linux", "all", "variable", "a.example");
  page.mirror_wants_token = true;
  EXPECT_EQ(SetupCommands(page),
            "export TF_TOKEN_koya_test=PUT-THE-TOKEN-HERE\n"
            "export TF_TOKEN_a_example=PUT-THE-TOKEN-HERE");
  EXPECT_EQ(SetupUndo(page), "unset TF_TOKEN_koya_test\nunset TF_TOKEN_a_example");
  EXPECT_FALSE(SetupFile(page)->contains("PUT-THE-TOKEN-HERE"));
  page.choice.sign_in = SetupSignIn::kLogin;
  EXPECT_TRUE(SetupFile(page)->contains("credentials \"a.example\"")) << "nobody signs in there";
  page.choice.purpose = SetupPurpose::kMirror;
  EXPECT_FALSE(SetupFile(page)->contains("PUT-THE-TOKEN-HERE")) << "signing in gives that one";
}

// Whatever is chosen, in every language: a page that is whole.
TEST(SetupPageTest, EveryCombinationIsAPage) {
  PageFrame frame = SampleFrame(Language::kJapanese);
  for (std::string_view tool : {"opentofu", "terraform", "terragrunt"}) {
    for (std::string_view system :
         {"linux", "macos", "windows", "github", "gitlab", "jenkins", "docker"}) {
      for (std::string_view purpose : {"own", "all", "mirror"}) {
        for (std::string_view sign_in : {"login", "file", "variable"}) {
          const HtmlPage read =
              ReadHtml(RenderSetup(frame, PageFor(tool, system, purpose, sign_in)));
          EXPECT_TRUE(PageProblems(read).empty())
              << tool << system << purpose << sign_in << PageProblems(read)[0];
          EXPECT_TRUE(read.text.contains("https://koya.test/.well-known/terraform.json"));
        }
      }
    }
  }
}

}  // namespace
}  // namespace koya::web
