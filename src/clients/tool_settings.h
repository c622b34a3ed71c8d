// Writes what to configure in tools that update or run configurations, so that they use this
// server. Pure functions. docs/updaters.md explains each.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/host_name.h"

namespace koya::clients {

enum class Tool {
  kRenovate,
  kDependabot,
  kTerragrunt,
  kTflint,
  kAtlantis,
  kSpacelift,
  kGitlab,
  kGithub,
};

struct ToolName {
  Tool tool;
  std::string_view text;  // of --for
};
inline constexpr std::array<ToolName, 8> kTools{{{Tool::kRenovate, "renovate"},
                                                 {Tool::kDependabot, "dependabot"},
                                                 {Tool::kTerragrunt, "terragrunt"},
                                                 {Tool::kTflint, "tflint"},
                                                 {Tool::kAtlantis, "atlantis"},
                                                 {Tool::kSpacelift, "spacelift"},
                                                 {Tool::kGitlab, "gitlab"},
                                                 {Tool::kGithub, "github"}}};

struct ToolSettingsRequest {
  Tool tool = Tool::kRenovate;
  std::string server;  // "https://koya.example.com": no slash at its end
  HostName host;       // of `server`
};

// A file or part of one, with comments in its language on where it goes and where the token goes:
// it never contains one. Fails: kInvalid: the tool cannot use the server, with the reason.
Result<std::string> ToolSettings(const ToolSettingsRequest& wish);

}  // namespace koya::clients
