#include "web/site/setup_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "clients/client_settings.h"
#include "markup/fragment.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"

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

KOYA_VIEW(ClientProgram, path, digest, size);

namespace {

constexpr std::size_t kMostHosts = 8;

template <class Choice>
struct NamedChoice {
  std::string_view name;  // in the address
  Choice choice;
};
constexpr std::array kTools{NamedChoice{"opentofu", SetupTool::kOpenTofu},
                            NamedChoice{"terraform", SetupTool::kTerraform},
                            NamedChoice{"terragrunt", SetupTool::kTerragrunt}};
constexpr std::array kSystems{
    NamedChoice{"linux", SetupSystem::kLinux},     NamedChoice{"macos", SetupSystem::kMacOs},
    NamedChoice{"windows", SetupSystem::kWindows}, NamedChoice{"github", SetupSystem::kGitHub},
    NamedChoice{"gitlab", SetupSystem::kGitLab},   NamedChoice{"jenkins", SetupSystem::kJenkins},
    NamedChoice{"docker", SetupSystem::kDocker}};
constexpr std::array kPurposes{NamedChoice{"own", SetupPurpose::kOwn},
                               NamedChoice{"all", SetupPurpose::kAll},
                               NamedChoice{"mirror", SetupPurpose::kMirror}};
constexpr std::array kSignIns{NamedChoice{"login", SetupSignIn::kLogin},
                              NamedChoice{"file", SetupSignIn::kFile},
                              NamedChoice{"variable", SetupSignIn::kVariable}};

template <class Choice, std::size_t kSize>
Choice ChoiceOf(const std::array<NamedChoice<Choice>, kSize>& all, std::string_view name) {
  auto found = std::ranges::find(all, name, &NamedChoice<Choice>::name);
  return found == all.end() ? all.front().choice : found->choice;
}

template <class Choice, std::size_t kSize>
std::vector<View> ChoiceViews(const std::array<NamedChoice<Choice>, kSize>& all, Choice chosen) {
  std::vector<View> views;
  for (const auto& [name, choice] : all) {
    views.push_back(View().Set("name", name).Set("is_chosen", choice == chosen));
  }
  return views;
}

std::vector<HostName> ReadHosts(std::string_view text) {
  std::vector<HostName> hosts;
  while (!text.empty() && hosts.size() < kMostHosts) {
    const std::size_t end = std::min(text.find_first_of(" ,\t\r\n"), text.size());
    Result<HostName> host = HostName::Parse(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (host && std::ranges::find(hosts, *host) == hosts.end()) hosts.push_back(*std::move(host));
  }
  return hosts;
}

std::string HostsText(const std::vector<HostName>& hosts) {
  std::string text;
  for (const HostName& host : hosts) text += (text.empty() ? "" : " ") + host.display();
  return text;
}

std::optional<View> ShownCode(std::string_view id, std::string_view caption, std::string text) {
  if (text.empty()) return std::nullopt;
  return CodeView(id, caption, markup::Fragment::Code(text));
}

View ProgramView(const ClientProgram& program) {
  return View()
      .Of(program)
      .Set("platform", "linux_" + program.arch)
      .Set("file", fmt::format("koya-linux-{}.tar.gz", program.arch));
}

}  // namespace

SetupChoice SetupChoice::Read(std::string_view tool, std::string_view system,
                              std::string_view purpose, std::string_view sign_in,
                              std::string_view hosts, std::string_view direct) {
  SetupChoice choice{.tool = ChoiceOf(kTools, tool),
                     .system = ChoiceOf(kSystems, system),
                     .purpose = ChoiceOf(kPurposes, purpose),
                     .sign_in = ChoiceOf(kSignIns, sign_in),
                     .direct = direct == "yes",
                     .hosts = ReadHosts(hosts)};
  const bool terraform = choice.tool == SetupTool::kTerraform;
  if (choice.hosts.empty()) {
    choice.hosts.push_back(
        *HostName::Parse(terraform ? "registry.terraform.io" : "registry.opentofu.org"));
  }
  return choice;
}

std::string RenderSetup(const PageFrame& frame, const SetupPage& page) {
  View view = FrameView(frame);
  const SetupChoice& choice = page.choice;
  const bool unattended = IsUnattended(choice.system);
  const Result<std::string> file = SetupFile(page);
  const std::string text = file ? *file : std::string();
  std::optional<View> shown_file;
  if (!unattended && !text.empty()) {
    shown_file = CodeView("file", SetupFileName(choice), markup::Fragment::Hcl(text));
  }
  const std::string commands = SetupCommands(page);
  const bool has_placeholder =
      text.contains(clients::kTokenPlaceholder) || commands.contains(clients::kTokenPlaceholder);
  AddRefusal(view, frame.language, file ? Refusal{} : Refusal::Of(file.error()));
  view.List("tools", ChoiceViews(kTools, choice.tool))
      .List("systems", ChoiceViews(kSystems, choice.system))
      .List("purposes", ChoiceViews(kPurposes, choice.purpose))
      .List("sign_ins", ChoiceViews(kSignIns, choice.sign_in))
      .Set("hosts", HostsText(choice.hosts))
      .Set("is_direct", choice.direct)
      .Set("is_unattended", unattended)
      .Set("undo_words", unattended || shown_file.has_value())
      .Set("has_name", page.host.has_value())
      .Set("has_placeholder", unattended || has_placeholder)
      .Set("file", shown_file)
      .Set("commands",
           ShownCode("commands", choice.system == SetupSystem::kWindows ? "PowerShell" : "shell",
                     commands))
      .Set("step", ShownCode("step", SetupStepName(choice.system), SetupStep(page, text)))
      .Set("check", ShownCode("check", "shell", SetupCheck(page)))
      .Set("undo", ShownCode("undo", "shell", SetupUndo(page)));
  return RenderTemplate("setup", frame.language, view);
}

std::string RenderClientPrograms(const PageFrame& frame, const ClientProgramsPage& page) {
  const std::string command = InstallCommand(page.url);
  const View view = FrameView(frame)
                        .List("programs", page.programs, ProgramView)
                        .Set("command", ShownCode("install", "shell", command));
  return RenderTemplate("client_programs", frame.language, view);
}

}  // namespace koya::web
