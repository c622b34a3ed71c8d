#include "cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/mirror/mirror.h"
#include "cli/text/output.h"
#include "domain/version.h"
#include "wire/command_results.h"
#include "wire/discovery.h"

namespace koya::cli {
namespace {

constexpr std::size_t kHelpNameColumn = 34;
constexpr std::size_t kHelpTextWidth = 66;  // with the names' column, 100 in all

// Breaks at spaces. CLI11 indents what follows a line break.
std::string WrappedHelp(std::string_view text) {
  std::string out;
  std::size_t line = 0;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    bool breaks = line > 0 && line + 1 + word.size() > kHelpTextWidth;
    if (line > 0) out += breaks ? '\n' : ' ';
    line = breaks ? word.size() : line + (line > 0 ? 1 : 0) + word.size();
    out += word;
  }
  return out;
}

// The format of --help wraps texts to a terminal's width, and shows only the facts about a flag
// that users need.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(kHelpNameColumn);
    label("OPTIONS", "FLAGS");
    label("SUBCOMMAND", "COMMAND");
    label("Positionals", "Arguments");
  }

  // The name of the value, and no list of what a check would take: the text says it.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string type = option->get_type_name();
    type.resize(std::min(type.find(':'), type.size()));
    bool named = !option->get_positional() && !type.empty();
    std::string text = named ? " " + type : std::string();
    bool needed = option->get_required() && !option->get_positional();
    return needed ? text + " (required)" : text;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return WrappedHelp(option->get_description());
  }
};

void StyleHelp(CLI::App& command, const std::shared_ptr<HelpFormatter>& formatter) {
  command.formatter(formatter);
  command.set_help_flag("-h,--help", "Print this help");
  for (CLI::App* each : command.get_subcommands(nullptr)) {
    // An empty group hides a command; it stays hidden.
    if (each->get_group() == "Subcommands") each->group("Commands");
    StyleHelp(*each, formatter);
  }
}

struct CommandRow {
  std::string_view name;
  void (*add)(CLI::App& program, Invocation& invocation);
};
struct CommandGroup {
  const char* heading;
  std::vector<CommandRow> commands;
};

// The commands of the program, in the order of its help.
std::vector<CommandGroup> CommandGroups() {
  return {
      {"Find and use",
       {{"search", AddSearchCommand},
        {"list", AddListCommand},
        {"show", AddShowCommand},
        {"open", AddOpenCommand},
        {"diff", AddDiffCommand},
        {"inspect", AddInspectCommand},
        {"usage", AddUsageCommand},
        {"watch", AddWatchCommand},
        {"client-config", AddClientConfigCommand}}},
      {"Publish",
       {{"publish", AddPublishCommand},
        {"deprecate", AddDeprecateCommand},
        {"withdraw", AddWithdrawCommand},
        {"restore", AddRestoreCommand},
        {"key", AddKeyCommand},
        {"trust", AddTrustCommand},
        {"import", AddImportCommand}}},
      {"Sign in",
       {{"login", AddLoginCommand},
        {"logout", AddLogoutCommand},
        {"whoami", AddWhoAmICommand},
        {"token", AddTokenCommand},
        {"session", AddSessionCommand}}},
      {"Administer",
       {{"user", AddUserCommand},
        {"service", AddServiceCommand},
        {"group", AddGroupCommand},
        {"namespace", AddNamespaceCommand},
        {"grant", AddGrantCommand},
        {"idp", AddIdpCommand},
        {"audit", AddAuditCommand}}},
      {"Mirror",
       {{"mirror", AddMirrorCommand}, {"policy", AddPolicyCommand}, {"verify", AddVerifyCommand}}},
      {"Operate",
       {{"serve", AddServeCommand},
        {"setup", AddSetupCommand},
        {"config", AddConfigCommand},
        {"status", AddStatusCommand},
        {"doctor", AddDoctorCommand},
        {"admin", AddAdminCommand},
        {"reindex", AddReindexCommand}}},
      {"Other",
       {{"completion", AddCompletionCommand},
        {"complete-words", AddCompleteWordsCommand},
        {"docs", AddDocsCommand},
        {"version", AddVersionCommand}}}};
}

constexpr std::string_view kAbout =
    "Koya: a private registry and mirror for OpenTofu and Terraform.";

constexpr std::string_view kProgramFooter = R"(Start:
  koya serve --dev                                   a server with a certificate and a token
  . koya-data/dev/env                                in another shell: its address and token
  koya publish module ./vpc acme/vpc/aws 1.0.0       a module that "tofu init" can install
  koya publish provider dist acme/demo --sign        a provider, from GoReleaser's output

Environment:
  KOYA_URL, KOYA_TOKEN   the server that commands use, and the token they send
  SSL_CERT_FILE          PEM file of the certificate authorities to trust, instead of the system's
  NO_COLOR               when set: no colours

Exit status: 0 done, 1 refused or failed, 2 the command line was wrong.)";

// The innermost command that the command line named before it went wrong.
const CLI::App& Innermost(const CLI::App& program) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::string FullName(const CLI::App& command) {
  std::string name = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent != nullptr;
       parent = parent->get_parent()) {
    name = parent->get_name() + " " + name;
  }
  return name;
}

// Every flag ("--server") or every subcommand's name that `command` knows.
std::vector<std::string> KnownWords(const CLI::App& command, bool flags) {
  std::vector<std::string> words;
  if (flags) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const CLI::App* each : command.get_subcommands(nullptr)) words.push_back(each->get_name());
  }
  return words;
}

std::string Nearest(std::string_view word, const CLI::App& command) {
  std::vector<std::string> known = KnownWords(command, word.starts_with("-"));
  std::vector<std::string_view> views(known.begin(), known.end());
  return std::string(NearestWord(word, views));
}

// Names the unknown word of the command line. Empty when the error is another one.
std::string UnknownWord(const CLI::App& command) {
  std::vector<std::string> rest = command.remaining();
  if (rest.empty()) return {};
  std::string word = rest.front().substr(0, rest.front().find('='));
  bool flag = word.starts_with("-");
  bool takes_command = !command.get_subcommands(nullptr).empty();
  std::string message = flag ? fmt::format("unknown flag \"{}\"", Printable(word))
                        : takes_command
                            ? fmt::format("unknown command \"{}\"", Printable(word))
                            : fmt::format("unexpected argument \"{}\"", Printable(word));
  std::string nearest = flag || takes_command ? Nearest(word, command) : std::string();
  if (!nearest.empty()) message += fmt::format("; did you mean \"{}\"?", nearest);
  return message;
}

// "read, publish or admin" of "read,publish,admin".
std::string Choices(std::string_view list) {
  std::string text(list);
  for (std::size_t at = text.find(','); at != text.npos; at = text.find(',', at + 2)) {
    text.replace(at, 1, ", ");
  }
  if (const std::size_t last = text.rfind(", "); last != text.npos) text.replace(last, 2, " or ");
  return text;
}

// The parser's message in our words.
std::string UsageProblem(const CLI::App& command, const CLI::ParseError& error) {
  std::string message = error.what();
  if (message == "A subcommand is required") {
    return fmt::format("a command is missing: {}",
                       Choices(fmt::to_string(fmt::join(KnownWords(command, false), ","))));
  }
  constexpr std::string_view kNotIn = " not in {";
  const std::size_t at = message.rfind(kNotIn);
  if (at == message.npos || !message.ends_with('}')) return message;
  const std::size_t colon = message.rfind(": ", at);
  const std::size_t value = colon == message.npos ? 0 : colon + 2;
  const std::string_view list = std::string_view(message).substr(at + kNotIn.size());
  return fmt::format("{}\"{}\" is not a choice: use {}", message.substr(0, value),
                     Printable(message.substr(value, at - value)),
                     Choices(list.substr(0, list.size() - 1)));
}

int ReportUsage(const CLI::App& program, const CLI::ParseError& error, Output& output) {
  const CLI::App& command = Innermost(program);
  std::string name = FullName(command);
  std::string message = UnknownWord(command);
  if (message.empty()) message = UsageProblem(command, error);
  output.Note(fmt::format("{}: {}", name, message));
  output.Note(fmt::format("See \"{} --help\".", name));
  output.PrintErrors(std::span(&message, 1), ErrorKind::kInvalid, 0);
  return kUsage;
}

int Perform(const Invocation& invocation) {
  Output output(invocation.shell, invocation.json, invocation.wide);
  Result<int> status = invocation.action(output);
  if (status) return *status;
  output.Fail(status.error());
  return kFailed;
}

// Whether one is more than a minor version ahead of the other. A version that is none counts as
// another one.
bool AreFarApart(std::string_view one, std::string_view other) {
  const Result<Version> a = Version::Parse(one);
  const Result<Version> b = Version::Parse(other);
  if (!a || !b || a->major() != b->major()) return one != other;
  return std::max(a->minor(), b->minor()) - std::min(a->minor(), b->minor()) > 1;
}

// Compares this program's version with the server's.
Result<int> ShowVersions(const ServerFlags& flags, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(flags, output));
  ApiClient api(std::move(connection));
  ASSIGN_OR_RETURN(std::string body, api.Get("/-/cli/"));
  ASSIGN_OR_RETURN(wire::ClientPrograms server, wire::Decode<wire::ClientPrograms>(body));
  const std::string origin = api.server().Origin();
  output.Print("koya " KOYA_VERSION);
  output.Print(fmt::format("{} runs koya {}", origin, Printable(server.version)));
  if (AreFarApart(KOYA_VERSION, server.version)) {
    output.Note(fmt::format("They differ by more than a minor version. {}",
                            server.platforms.empty()
                                ? "Install the server's version."
                                : fmt::format("Install the server's version: curl -fsSL "
                                              "{}/-/cli/install.sh | sh",
                                              origin)));
  }
  output.PrintDocument(wire::EncodeProgramVersion(KOYA_VERSION, server.version));
  return 0;
}

}  // namespace

// koya version
void AddVersionCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("version", "Print this program's version, and a server's");
  auto flags = std::make_shared<ServerFlags>();
  CLI::Option* server =
      command
          ->add_option("--server", flags->server,
                       "Print this server's version too; without a URL: KOYA_URL's, else that of "
                       "the only host with credentials from \"tofu login\"")
          ->type_name("[URL]")
          ->expected(0, 1);
  AddJsonFlag(*command, invocation);
  command->callback([flags, server, &invocation] {
    const bool asks_server = server->count() > 0;
    invocation.action = [flags, asks_server](Output& output) -> Result<int> {
      if (asks_server) return ShowVersions(*flags, output);
      output.Print("koya " KOYA_VERSION);
      output.PrintDocument(wire::EncodeProgramVersion(KOYA_VERSION));
      return 0;
    };
  });
}

std::unique_ptr<CLI::App> BuildCommands(Invocation& invocation, std::string_view only) {
  auto program = std::make_unique<CLI::App>(std::string(kAbout), "koya");
  program->require_subcommand(1);
  program->set_version_flag("--version", "koya " KOYA_VERSION, "Print this program's version");
  const std::vector<CommandGroup> groups = CommandGroups();
  const bool needs_one = std::ranges::any_of(groups, [only](const CommandGroup& group) {
    return std::ranges::find(group.commands, only, &CommandRow::name) != group.commands.end();
  });
  for (const CommandGroup& group : groups) {
    for (const CommandRow& row : group.commands) {
      if (needs_one && row.name != only) continue;
      row.add(*program, invocation);
      CLI::App* command = program->get_subcommand(std::string(row.name));
      if (!command->get_group().empty()) command->group(group.heading);
    }
  }
  // Set last: commands that are added inherit it otherwise.
  program->footer(std::string(kProgramFooter));
  StyleHelp(*program, std::make_shared<HelpFormatter>());
  return program;
}

int RunProgram(const Shell& shell, const std::vector<std::string>& arguments) {
  Invocation invocation{.shell = shell, .action = {}};
  std::unique_ptr<CLI::App> program =
      BuildCommands(invocation, arguments.empty() ? std::string_view() : arguments.front());
  if (arguments.empty()) {
    shell.err << program->help();
    return kUsage;
  }
  // CLI11 reports through exceptions, and takes the arguments last one first.
  try {
    program->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    shell.out << program->help();
    return kDone;
  } catch (const CLI::CallForVersion& version) {
    shell.out << version.what() << '\n';
    return kDone;
  } catch (const CLI::ParseError& error) {
    // What could not be read did not say how to answer.
    Output output(shell, std::ranges::find(arguments, "--json") != arguments.end());
    return ReportUsage(*program, error, output);
  }
  return Perform(invocation);
}

}  // namespace koya::cli
