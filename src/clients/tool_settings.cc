#include "clients/tool_settings.h"

#include <fmt/format.h>

#include "clients/client_settings.h"

namespace koya::clients {
namespace {

// JSON has no comments: the first member of the rule explains it.
constexpr std::string_view kRenovate = R"({{
  "customDatasources": {{
    "koya-modules": {{
      "description": "Part of renovate.json, or of the bot's own configuration",
      "defaultRegistryUrlTemplate": "{0}/api/v1/renovate/modules/{{{{packageName}}}}"
    }},
    "koya-providers": {{
      "defaultRegistryUrlTemplate": "{0}/api/v1/renovate/providers/{1}/{{{{packageName}}}}"
    }}
  }},
  "packageRules": [
    {{
      "description": "Modules of this server, with their release times",
      "matchDatasources": ["terraform-module"],
      "matchPackageNames": ["{1}/**"],
      "overrideDatasource": "custom.koya-modules",
      "registryUrls": ["{0}/api/v1/renovate/modules/{{{{packageName}}}}"],
      "versioning": "hashicorp",
      "minimumReleaseAge": "7 days"
    }},
    {{
      "description": "Providers of this server, with their release times",
      "matchDatasources": ["terraform-provider"],
      "matchRegistryUrls": ["https://{1}"],
      "overrideDatasource": "custom.koya-providers",
      "registryUrls": ["{0}/api/v1/renovate/providers/{1}/{{{{packageName}}}}"],
      "versioning": "hashicorp",
      "minimumReleaseAge": "7 days"
    }}
  ],
  "hostRules": [
    {{
      "description": "For private modules and providers: in the bot's own configuration, not in a repository",
      "matchHost": "{1}",
      "token": "{2}"
    }}
  ]
}}
)";

constexpr std::string_view kDependabot =
    R"(# Part of .github/dependabot.yml. The token is the secret KOYA_TOKEN of Dependabot, not of Actions.
version: 2
registries:
  koya:
    type: terraform-registry
    url: {0}
    token: ${{{{secrets.KOYA_TOKEN}}}}
updates:
  - package-ecosystem: terraform
    directory: /
    registries:
      - koya
    schedule:
      interval: weekly
)";

constexpr std::string_view kTerragrunt =
    R"(# Modules, "tfr://{1}/NAMESPACE/NAME/SYSTEM?version=1.0.0", and providers of this server: in the
# environment of Terragrunt and of the clients that it runs.
{3}
# Other registries' providers, also with Terragrunt's provider cache, which ignores host blocks:
#   koya client-config --server {0} --mode mirror > koya.tfrc
#   export TF_CLI_CONFIG_FILE="$PWD/koya.tfrc"
)";

constexpr std::string_view kTflint =
    R"(# TFLint reads the modules that "tofu init" or "terraform init" installed, and asks no registry. Give the
# client the token, and run it first:
{3}
tofu init -backend=false && tflint --call-module-type=all
)";

constexpr std::string_view kAtlantis =
    R"(# ~/.terraformrc of the user that runs Atlantis. Replace the token, and leave --tfe-token unset: Atlantis
# would write a file of its own over this one.
{4})";

constexpr std::string_view kSpacelift =
    R"(# Of a context that the stacks use (spacelift.tf); mark the value as write-only.
resource "spacelift_environment_variable" "koya" {{
  context_id = spacelift_context.koya.id
  name       = "{5}"
  value      = var.koya_token
  write_only = true
}}
)";

constexpr std::string_view kGitlab =
    R"(# Part of .gitlab-ci.yml. KOYA_TOKEN is a masked CI/CD variable of the project or group.
variables:
  {5}: $KOYA_TOKEN
)";

constexpr std::string_view kGithub =
    R"(# Part of a workflow. KOYA_TOKEN is a secret of the repository or organisation.
env:
  {5}: ${{{{ secrets.KOYA_TOKEN }}}}
)";

std::string_view TemplateOf(Tool tool) {
  switch (tool) {
    case Tool::kRenovate:
      return kRenovate;
    case Tool::kDependabot:
      return kDependabot;
    case Tool::kTerragrunt:
      return kTerragrunt;
    case Tool::kTflint:
      return kTflint;
    case Tool::kAtlantis:
      return kAtlantis;
    case Tool::kSpacelift:
      return kSpacelift;
    case Tool::kGitlab:
      return kGitlab;
    case Tool::kGithub:
      return kGithub;
  }
  return {};
}

// Renovate drops the port of a module's host; the others take the token from a variable whose name
// cannot have a colon.
Status CheckPort(const ToolSettingsRequest& wish) {
  const bool by_file = wish.tool == Tool::kDependabot || wish.tool == Tool::kAtlantis ||
                       wish.tool == Tool::kTerragrunt || wish.tool == Tool::kTflint;
  if (!wish.host.has_port() || by_file) return {};
  if (wish.tool == Tool::kRenovate) {
    return FailInvalid("Renovate drops the port of {}: serve this registry on port 443",
                       wish.host.display());
  }
  return FailInvalid(
      "the name of the variable {} has a colon, which this tool does not take: serve this registry "
      "on port 443",
      TokenVariable(wish.host));
}

}  // namespace

Result<std::string> ToolSettings(const ToolSettingsRequest& wish) {
  if (!wish.server.starts_with("https://")) {
    return FailInvalid("{}: these tools take a registry by https only", wish.server);
  }
  RETURN_IF_ERROR(CheckPort(wish));
  return fmt::format(fmt::runtime(TemplateOf(wish.tool)), wish.server, wish.host.ascii(),
                     kTokenPlaceholder, HowToSetToken(wish.host, kTokenPlaceholder),
                     CredentialsBlock(wish.host, kTokenPlaceholder), TokenVariable(wish.host));
}

}  // namespace koya::clients
