#include "clients/tool_settings.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace koya::clients {
namespace {

Result<std::string> Settings(Tool tool, std::string_view host = "koya.test",
                             std::string scheme = "https://") {
  return ToolSettings(
      {.tool = tool, .server = scheme.append(host), .host = *HostName::Parse(host)});
}

TEST(ToolSettingsTest, NameTheServerAndThePlaceOfTheToken) {
  struct Case {
    Tool tool;
    std::vector<std::string_view> parts;
  };
  for (const Case& each : {
           Case{Tool::kRenovate,
                {"https://koya.test/api/v1/renovate/modules/{{packageName}}",
                 "https://koya.test/api/v1/renovate/providers/koya.test/{{packageName}}",
                 R"("matchPackageNames": ["koya.test/**"])", R"("token": "PUT-THE-TOKEN-HERE")"}},
           Case{Tool::kDependabot,
                {"type: terraform-registry", "url: https://koya.test\n",
                 "token: ${{secrets.KOYA_TOKEN}}"}},
           Case{Tool::kTerragrunt, {"tfr://koya.test/", "export TF_TOKEN_koya_test="}},
           Case{Tool::kTflint, {"export TF_TOKEN_koya_test=", "tofu init"}},
           Case{Tool::kAtlantis, {"credentials \"koya.test\" {", "PUT-THE-TOKEN-HERE"}},
           Case{Tool::kSpacelift, {"name       = \"TF_TOKEN_koya_test\""}},
           Case{Tool::kGitlab, {"  TF_TOKEN_koya_test: $KOYA_TOKEN"}},
           Case{Tool::kGithub, {"  TF_TOKEN_koya_test: ${{ secrets.KOYA_TOKEN }}"}},
       }) {
    const Result<std::string> text = Settings(each.tool);
    ASSERT_TRUE(text) << text.error().message;
    for (std::string_view part : each.parts) EXPECT_TRUE(text->contains(part)) << *text;
  }
}

TEST(ToolSettingsTest, RenovatesAreJson) {
  boost::system::error_code error;
  boost::json::parse(Settings(Tool::kRenovate).value(), error);
  EXPECT_FALSE(error) << error.message();
}

TEST(ToolSettingsTest, ServersThatAToolCannotUseAreRefused) {
  struct Case {
    Tool tool;
    std::string_view host;
    std::string scheme;
    std::string_view words;  // "": it can
  };
  for (const Case& each : {
           Case{Tool::kRenovate, "koya.test:8443", "https://", "drops the port"},
           Case{Tool::kGithub, "koya.test:8443", "https://", "has a colon"},
           Case{Tool::kGitlab, "koya.test:8443", "https://", "has a colon"},
           Case{Tool::kSpacelift, "koya.test:8443", "https://", "has a colon"},
           Case{Tool::kRenovate, "koya.test", "http://", "https only"},
           Case{Tool::kAtlantis, "koya.test", "http://", "https only"},
           Case{Tool::kDependabot, "koya.test:8443", "https://", ""},
           Case{Tool::kAtlantis, "koya.test:8443", "https://", ""},
           Case{Tool::kTerragrunt, "koya.test:8443", "https://", ""},
           Case{Tool::kTflint, "koya.test:8443", "https://", ""},
       }) {
    const Result<std::string> text = Settings(each.tool, each.host, each.scheme);
    EXPECT_EQ(text.has_value(), each.words.empty()) << each.host;
    if (!text) EXPECT_TRUE(text.error().message.contains(each.words)) << text.error().message;
  }
}

}  // namespace
}  // namespace koya::clients
