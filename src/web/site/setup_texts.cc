#include "web/site/setup_texts.h"

#include <fmt/format.h>

#include <vector>

#include "clients/client_settings.h"

namespace koya::web {
namespace {

using enum SetupSystem;

bool UsesTofu(SetupTool tool) { return tool != SetupTool::kTerraform; }

// The file in the home folder, as shells and Dockerfiles write it.
std::string_view HomeFile(SetupTool tool) { return UsesTofu(tool) ? ".tofurc" : ".terraformrc"; }

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

// The names that clients keep the token under: the server's own, and those of the registries that
// are reached through it, where it wants a token for them.
std::vector<HostName> TokenHosts(const SetupPage& page) {
  std::vector<HostName> hosts;
  if (page.host) hosts.push_back(*page.host);
  const bool through = page.choice.purpose == SetupPurpose::kAll && page.mirror_wants_token;
  if (through) hosts.insert(hosts.end(), page.choice.hosts.begin(), page.choice.hosts.end());
  return hosts;
}

// On CI: with the variables that clients read, whose names may be none that a shell can export.
std::string InitWithToken(const SetupPage& page) {
  std::string line;
  for (const HostName& host : TokenHosts(page)) {
    line += fmt::format("{}\"{}=$KOYA_TOKEN\"", line.empty() ? "env " : " ",
                        clients::TokenVariable(host));
  }
  return line + (line.empty() ? "" : " ") + Init(page.choice.tool);
}

std::string GitHubStep(const SetupPage& page, std::string_view file) {
  std::string step = "steps:\n  - uses: actions/checkout@v4\n";
  const std::string write = WriteFile(page, file);
  if (!write.empty()) {
    step += fmt::format("  - name: Use {}\n    run: |\n{}", page.url, Indented(write, 6));
  }
  return step +
         fmt::format("  - run: {}\n    env:\n      KOYA_TOKEN: ${{{{ secrets.KOYA_TOKEN }}}}\n",
                     InitWithToken(page));
}

// The variable KOYA_TOKEN is set in the project's settings.
std::string GitLabStep(const SetupPage& page, std::string_view file) {
  std::string step = "init:\n  script:\n";
  const std::string write = WriteFile(page, file);
  if (!write.empty()) step += "    - |\n" + Indented(write, 6);
  return step + fmt::format("    - {}\n", InitWithToken(page));
}

std::string JenkinsStep(const SetupPage& page, std::string_view file) {
  return fmt::format(
      "withCredentials([string(credentialsId: 'koya-token', variable: 'KOYA_TOKEN')]) {{\n  sh "
      "'''\n{}{}\n'''\n}}\n",
      WriteFile(page, file), InitWithToken(page));
}

std::string DockerStep(const SetupPage& page, std::string_view file) {
  std::string text = "# syntax=docker/dockerfile:1\n";
  if (!file.empty()) {
    text += fmt::format("COPY <<'END' /root/{}\n{}END\n", HomeFile(page.choice.tool),
                        WithoutRemarks(file));
  }
  return text + fmt::format(
                    "RUN --mount=type=secret,id=koya,env=KOYA_TOKEN \\\n    {}\n"
                    "# docker build --secret id=koya,env=KOYA_TOKEN .\n",
                    InitWithToken(page));
}

// "tofu login HOST"; terragrunt has no such command of its own.
std::string AtTheKeyboard(const SetupPage& page, std::string_view command) {
  if (!page.host) return {};
  return fmt::format("{} {} {}", UsesTofu(page.choice.tool) ? "tofu" : "terraform", command,
                     page.host->display());
}

}  // namespace

bool IsUnattended(SetupSystem system) {
  return system != kLinux && system != kMacOs && system != kWindows;
}

SetupSignIn PossibleSignIn(const SetupPage& page) {
  return IsUnattended(page.choice.system) ? SetupSignIn::kVariable : page.choice.sign_in;
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
  const SetupSignIn sign_in = PossibleSignIn(page);
  const bool through = page.choice.purpose == SetupPurpose::kAll;
  std::string text;
  clients::ClientSettingsRequest wish{.server = page.url, .registries = page.choice.hosts};
  if (page.choice.purpose != SetupPurpose::kOwn) {
    if (!through) {
      wish.mode = clients::ClientMode::kMirror;
      wish.direct = page.choice.direct;
    }
    // Signing in gives a token for the server's own name alone.
    const bool in_file =
        sign_in == SetupSignIn::kFile || (through && sign_in == SetupSignIn::kLogin);
    if (page.mirror_wants_token && in_file) wish.token = clients::kTokenPlaceholder;
    ASSIGN_OR_RETURN(text, clients::ClientSettings(wish));
  }
  // A network mirror's token is this one.
  const bool has_token = !through && !wish.token.empty();
  if (page.host && !has_token && sign_in == SetupSignIn::kFile) {
    if (!text.empty()) text += '\n';
    text += clients::CredentialsBlock(*page.host, clients::kTokenPlaceholder);
  }
  return text;
}

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

std::string InstallCommand(std::string_view url) {
  return fmt::format("curl -fsSL {}/-/cli/install.sh | sh", url);
}

std::string SetupCommands(const SetupPage& page) {
  if (IsUnattended(page.choice.system) || page.choice.sign_in == SetupSignIn::kFile) return {};
  if (page.choice.sign_in == SetupSignIn::kLogin) return AtTheKeyboard(page, "login");
  std::string text;
  for (const HostName& host : TokenHosts(page)) {
    if (!text.empty()) text += '\n';
    text += page.choice.system == kWindows
                ? fmt::format("[Environment]::SetEnvironmentVariable(\"{}\", \"{}\", \"User\")",
                              clients::TokenVariable(host), clients::kTokenPlaceholder)
                : clients::HowToSetToken(host, clients::kTokenPlaceholder);
  }
  return text;
}

std::string SetupStep(const SetupPage& page, std::string_view file) {
  switch (page.choice.system) {
    case kGitHub:
      return GitHubStep(page, file);
    case kGitLab:
      return GitLabStep(page, file);
    case kJenkins:
      return JenkinsStep(page, file);
    case kDocker:
      return DockerStep(page, file);
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
  if (IsUnattended(page.choice.system) || page.choice.sign_in == SetupSignIn::kFile) return {};
  if (page.choice.sign_in == SetupSignIn::kLogin) return AtTheKeyboard(page, "logout");
  std::string text;
  for (const HostName& host : TokenHosts(page)) {
    const std::string name = clients::TokenVariable(host);
    // What no shell can export lasted for one command.
    const bool windows = page.choice.system == kWindows;
    if (!windows && host.has_port()) continue;
    if (!text.empty()) text += '\n';
    text += windows ? fmt::format("[Environment]::SetEnvironmentVariable(\"{}\", $null, \"User\")",
                                  name)
                    : fmt::format("unset {}", name);
  }
  return text;
}

}  // namespace koya::web
