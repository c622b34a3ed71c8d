#include "web/site/setup_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "clients/client_settings.h"
#include "markup/fragment.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"
#include "web/common/view_parts.h"
#include "web/site/setup_texts.h"

namespace koya::web {
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
