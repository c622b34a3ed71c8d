#include "web/setup_texts.h"

#include <fmt/format.h>

#include "clients/client_settings.h"

namespace koya::web {
namespace {

using enum SetupSystem;

bool UsesTofu(SetupTool tool) { return tool != SetupTool::kTerraform; }

// The file in the home folder, as shells and Dockerfiles write it.
std::string_view HomeFile(SetupTool tool) { return UsesTofu(tool) ? ".tofurc" : ".terraformrc"; }

// Without what is only for people who read it.
std::string WithoutRemarks(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.starts_with('#') || (line == "\n" && kept.empty())) continue;
    if (line == "\n" && kept.ends_with("\n\n")) continue;
    kept += line;
  }
  while (kept.ends_with("\n\n")) kept.pop_back();
  return kept;
}

std::string Indented(std::string_view text, std::size_t by) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line != "\n") out.append(by, ' ');
    out += line;
  }
  return out;
}

// A here-document that writes the file; "": there is none to write.
std::string WriteFile(const SetupPage& page, std::string_view file) {
  if (file.empty()) return {};
  return fmt::format("cat > \"$HOME/{}\" <<'END'\n{}END\n", HomeFile(page.choice.tool),
                     WithoutRemarks(file));
}

// The tool itself: terragrunt has the modules and providers fetched by tofu.
std::string Init(SetupTool tool) { return fmt::format("{} init", ToolCommand(tool)); }

std::string GitHubStep(const SetupPage& page, std::string_view file) {
  std::string step = "steps:\n  - uses: actions/checkout@v4\n";
  const std::string write = WriteFile(page, file);
  if (!write.empty()) {
    step += fmt::format("  - name: Use {}\n    run: |\n{}", page.url, Indented(write, 6));
  }
  step += fmt::format("  - run: {}\n", Init(page.choice.tool));
  if (page.host) {
    step += fmt::format("    env:\n      {}: ${{{{ secrets.KOYA_TOKEN }}}}\n",
                        clients::TokenVariable(*page.host));
  }
  return step;
}

std::string GitLabStep(const SetupPage& page, std::string_view file) {
  std::string step = "init:\n";
  if (page.host) {
    step += fmt::format("  variables:\n    {}: $KOYA_TOKEN\n", clients::TokenVariable(*page.host));
  }
  step += "  script:\n";
  const std::string write = WriteFile(page, file);
  if (!write.empty()) step += "    - |\n" + Indented(write, 6);
  return step + fmt::format("    - {}\n", Init(page.choice.tool));
}

std::string JenkinsStep(const SetupPage& page, std::string_view file) {
  std::string shell = WriteFile(page, file) + Init(page.choice.tool) + "\n";
  if (!page.host) return fmt::format("sh '''\n{}'''\n", shell);
  return fmt::format(
      "withCredentials([string(credentialsId: 'koya-token', variable: '{}')]) {{\n  sh "
      "'''\n{}'''\n}}\n",
      clients::TokenVariable(*page.host), shell);
}

std::string DockerStep(const SetupPage& page, std::string_view file) {
  std::string text;
  if (!file.empty()) {
    text = fmt::format("# syntax=docker/dockerfile:1\nCOPY <<'END' /root/{}\n{}END\n",
                       HomeFile(page.choice.tool), WithoutRemarks(file));
  }
  if (page.host) {
    text += fmt::format("RUN --mount=type=secret,id=koya,env={} \\\n    {}\n",
                        clients::TokenVariable(*page.host), Init(page.choice.tool));
    return text + "# docker build --secret id=koya,env=KOYA_TOKEN .\n";
  }
  return text + fmt::format("RUN {}\n", Init(page.choice.tool));
}

}  // namespace

bool IsUnattended(SetupSystem system) {
  return system != kLinux && system != kMacOs && system != kWindows;
}

SetupSignIn PossibleSignIn(const SetupPage& page) {
  const SetupSignIn wanted = page.choice.sign_in;
  const bool unattended = IsUnattended(page.choice.system);
  if (unattended && page.host && page.host->has_port()) return SetupSignIn::kFile;
  if (unattended && wanted == SetupSignIn::kLogin) return SetupSignIn::kVariable;
  return wanted;
}

std::string_view ToolCommand(SetupTool tool) {
  switch (tool) {
    case SetupTool::kOpenTofu:
      return "tofu";
    case SetupTool::kTerraform:
      return "terraform";
    case SetupTool::kTerragrunt:
      return "terragrunt";
  }
  return "tofu";
}

std::string SetupFileName(const SetupChoice& choice) {
  if (choice.system != kWindows) return fmt::format("~/{}", HomeFile(choice.tool));
  return UsesTofu(choice.tool) ? "%APPDATA%\\tofu.rc" : "%APPDATA%\\terraform.rc";
}

Result<std::string> SetupFile(const SetupPage& page) {
  std::string text;
  if (page.choice.purpose != SetupPurpose::kOwn) {
    clients::ClientSettingsWish wish{.server = page.url, .registries = page.choice.hosts};
    if (page.choice.purpose == SetupPurpose::kMirror) {
      wish.mode = clients::ClientMode::kMirror;
      wish.direct = page.choice.direct;
    }
    if (page.mirror_wants_token) wish.token = clients::kTokenPlaceholder;
    ASSIGN_OR_RETURN(text, clients::ClientSettings(wish));
  }
  // A network mirror's token is this one.
  const bool has_token = page.choice.purpose == SetupPurpose::kMirror && page.mirror_wants_token;
  if (page.host && !has_token && PossibleSignIn(page) == SetupSignIn::kFile) {
    if (!text.empty()) text += '\n';
    text += clients::CredentialsBlock(*page.host, clients::kTokenPlaceholder);
  }
  return text;
}

std::string SetupCommands(const SetupPage& page) {
  if (!page.host || IsUnattended(page.choice.system)) return {};
  switch (PossibleSignIn(page)) {
    case SetupSignIn::kLogin:
      return fmt::format("{} login {}", UsesTofu(page.choice.tool) ? "tofu" : "terraform",
                         page.host->display());
    case SetupSignIn::kFile:
      return {};
    case SetupSignIn::kVariable:
      break;
  }
  if (page.choice.system == kWindows) {
    return fmt::format("[Environment]::SetEnvironmentVariable(\"{}\", \"{}\", \"User\")",
                       clients::TokenVariable(*page.host), clients::kTokenPlaceholder);
  }
  return clients::HowToSetToken(*page.host, clients::kTokenPlaceholder);
}

std::string SetupStep(const SetupPage& page, std::string_view file) {
  SetupPage shown = page;
  // The token stands in the file.
  if (PossibleSignIn(page) == SetupSignIn::kFile) shown.host.reset();
  switch (page.choice.system) {
    case kGitHub:
      return GitHubStep(shown, file);
    case kGitLab:
      return GitLabStep(shown, file);
    case kJenkins:
      return JenkinsStep(shown, file);
    case kDocker:
      return DockerStep(shown, file);
    case kLinux:
    case kMacOs:
    case kWindows:
      break;
  }
  return {};
}

std::string SetupStepName(SetupSystem system) {
  switch (system) {
    case kGitHub:
      return ".github/workflows/…";
    case kGitLab:
      return ".gitlab-ci.yml";
    case kJenkins:
      return "Jenkinsfile";
    default:
      return "Dockerfile";
  }
}

std::string SetupCheck(const SetupPage& page) {
  return fmt::format("curl --fail {}/.well-known/terraform.json\n{}", page.url,
                     Init(page.choice.tool));
}

std::string SetupUndo(const SetupPage& page) {
  if (!page.host || IsUnattended(page.choice.system)) return {};
  const bool windows = page.choice.system == kWindows;
  switch (PossibleSignIn(page)) {
    case SetupSignIn::kLogin:
      return fmt::format("{} logout {}", UsesTofu(page.choice.tool) ? "tofu" : "terraform",
                         page.host->display());
    case SetupSignIn::kFile:
      return {};
    case SetupSignIn::kVariable:
      break;
  }
  const std::string name = clients::TokenVariable(*page.host);
  if (windows)
    return fmt::format("[Environment]::SetEnvironmentVariable(\"{}\", $null, \"User\")", name);
  return page.host->has_port() ? "" : fmt::format("unset {}", name);
}

}  // namespace koya::web
