// koya config show: the settings that a server would run with
// koya config check: everything that is wrong with them
// koya config init: a settings file

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/private_file.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/api/place.h"
#include "cli/impact.h"
#include "cli/password_input.h"
#include "cli/program.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

using FlagValues = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kShowFooter =
    R"(Takes the flags of "koya serve", and shows the settings it would run with. Secrets are not shown.

Examples:
  koya config show --sources
  koya config show --config koya.toml --json)";

constexpr std::string_view kCheckFooter =
    R"(Takes the flags of "koya serve", and reports all problems of the settings it would run with: unknown
names and values that are not allowed, each with its file and line, settings that contradict each
other, and files that cannot be used: a certificate that has expired or is not for the key, for
example. Warnings name what works, with a consequence to know. No server is needed, and none is
started.
Exit status 1 when there is a problem; 0 with warnings only.

Examples:
  koya config check /etc/koya/koya.toml
  koya config check --json | jq -r '.problems[].text')";

constexpr std::string_view kInitFooter =
    R"(Writes a settings file with comments: to stdout, or to FILE, readable by its owner only and never over
another file. On a terminal it asks for the usual settings; with flags of "koya serve" it asks
nothing and writes these.

Examples:
  koya config init --out /etc/koya/koya.toml
  koya config init --url https://koya.example.com --certificate chain.pem --key key.pem --out koya.toml)";

struct ConfigArguments {
  SettingsFlags flags;
  bool sources = false;
  std::string file;     // FILE; "": none
  std::string catalog;  // as --catalog.url, and so on; "": not given
  std::string certificate;
  std::string key;
};

Result<int> ShowConfig(const ConfigArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(LoadedSettings settings,
                   LoadSettings(SettingsOf(arguments.flags, output.shell().variables)));
  std::string text =
      RenderSettings(settings, {.json = output.json(), .sources = arguments.sources});
  while (text.ends_with('\n')) text.pop_back();
  output.Print(text);
  output.PrintDocument(text);
  return 0;
}

void PrintFindings(const SettingsFindings& findings, Output& output) {
  for (const SettingsFinding& each : findings.problems) {
    output.Print(fmt::format("{}  {}", output.Red("problem"), each.text));
  }
  for (const SettingsFinding& each : findings.warnings) {
    output.Print(fmt::format("{}  {}", output.Yellow("warning"), each.text));
  }
}

std::vector<wire::SettingsCheck::Finding> ToWire(const std::vector<SettingsFinding>& findings) {
  std::vector<wire::SettingsCheck::Finding> found;
  for (const SettingsFinding& each : findings)
    found.push_back({each.line, each.setting, each.text});
  return found;
}

Result<int> CheckConfig(const ConfigArguments& arguments, Output& output) {
  SettingsInput input = SettingsOf(arguments.flags, output.shell().variables);
  if (!arguments.file.empty()) input.config = arguments.file;
  const SettingsFindings findings = CheckSettings(input, SystemClock().Now());
  PrintFindings(findings, output);
  const std::size_t problems = findings.problems.size();
  if (problems > 0) {
    output.Print(fmt::format("{} problem{}: correct {} before you start the server", problems,
                             problems == 1 ? "" : "s", problems == 1 ? "it" : "them"));
  } else {
    output.Print("No problem: a server can start with these settings");
  }
  output.PrintDocument(wire::Encode<wire::SettingsCheck>(
      {.problems = ToWire(findings.problems), .warnings = ToWire(findings.warnings)}));
  return problems > 0 ? 1 : 0;
}

// Asks for the usual settings, one by one.
class Questions {
 public:
  explicit Questions(const Shell& shell) : shell_(shell) {}

  Result<FlagValues> AskAll() {
    RETURN_IF_ERROR(Ask("server.url", "The URL of the server for its clients, https://HOST"));
    ASSIGN_OR_RETURN(const bool own_tls,
                     Ask("tls.certificate",
                         "The certificate chain, a PEM file (empty: a proxy in front does TLS)"));
    if (own_tls) {
      RETURN_IF_ERROR(Ask("tls.key", "The certificate's key, a PEM file"));
    } else {
      values_.emplace_back("--server.insecure_http", "true");
      RETURN_IF_ERROR(Ask("server.trusted_proxies", "The proxy's address", "127.0.0.1"));
    }
    RETURN_IF_ERROR(Ask("server.listen", "The address and port to listen on",
                        own_tls ? "0.0.0.0:443" : "127.0.0.1:8080"));
    RETURN_IF_ERROR(Ask("server.data", "The folder for the data", "/var/lib/koya"));
    RETURN_IF_ERROR(
        Ask("catalog.url", "The PostgreSQL database (empty: SQLite in the data folder)"));
    ASSIGN_OR_RETURN(const bool bucket,
                     Ask("blobs.url",
                         "The bucket for archives, s3://BUCKET/PREFIX (empty: the data "
                         "folder)"));
    if (bucket) RETURN_IF_ERROR(Ask("blobs.s3.endpoint", "The URL of its store (empty: AWS)"));
    RETURN_IF_ERROR(Ask("upstream.hosts", "The registries to mirror", "registry.opentofu.org"));
    return std::move(values_);
  }

 private:
  static constexpr std::size_t kLongestAnswer = 4096;

  // Asks until the answer is allowed. An empty one stands for `suggestion`. True: there is a value.
  Result<bool> Ask(std::string_view key, std::string_view text, std::string_view suggestion = "") {
    const SettingInfo& setting = *std::ranges::find(AllSettings(), key, &SettingInfo::key);
    while (true) {
      shell_.err << text << (suggestion.empty() ? "" : fmt::format(" [{}]", suggestion)) << ": "
                 << std::flush;
      std::string answer = ReadLine(*shell_.in, kLongestAnswer);
      if (answer.empty() && !*shell_.in)
        return FailInvalid("the input ended before the last answer");
      if (answer.empty()) answer = suggestion;
      if (answer.empty()) return false;
      if (Status allowed = CheckValue(setting, answer); !allowed) {
        shell_.err << allowed.error().message << '\n';
        continue;
      }
      values_.emplace_back(fmt::format("--{}", key), std::move(answer));
      return true;
    }
  }

  const Shell& shell_;
  FlagValues values_;
};

Status WriteNewFile(const std::string& path, std::string_view text) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    return FailRefused("{} exists, and stays as it is: name another file", Printable(path));
  }
  return WriteFileOnce(path, text, 0600);
}

Result<int> InitConfig(const ConfigArguments& arguments, Output& output) {
  // The environment is not part of the file: it overrides the file when the server starts.
  SettingsInput input = SettingsOf(arguments.flags, {});
  for (const auto& [flag, value] : {std::pair{"--catalog.url", &arguments.catalog},
                                    std::pair{"--tls.certificate", &arguments.certificate},
                                    std::pair{"--tls.key", &arguments.key}}) {
    if (!value->empty()) input.flags.emplace_back(flag, *value);
  }
  if (input.flags.empty() && !input.config && CanAsk(output.shell())) {
    ASSIGN_OR_RETURN(input.flags, Questions(output.shell()).AskAll());
  }
  ASSIGN_OR_RETURN(const LoadedSettings settings, LoadSettings(input));
  std::string text = SettingsFileText(settings);
  if (arguments.file.empty()) {
    text.pop_back();
    output.Print(text);
    return 0;
  }
  RETURN_IF_ERROR(WriteNewFile(arguments.file, text));
  output.Print(fmt::format("Wrote {}", Printable(arguments.file)));
  const SettingsFindings findings = CheckSettings(
      {.config = arguments.file, .flags = {}, .environment = {}}, SystemClock().Now());
  PrintFindings(findings, output);
  output.Print(fmt::format("{} {}",
                           findings.problems.empty() ? "Start the server: koya serve --config"
                                                     : "Correct it, and then: koya config check",
                           Printable(arguments.file)));
  return 0;
}

// Declares a command below "koya config"; the caller adds the flags that only this one has.
std::pair<CLI::App*, std::shared_ptr<ConfigArguments>> AddBelowConfig(
    CLI::App& config, Invocation& invocation, const char* name, const char* text,
    std::string_view footer, Result<int> (*action)(const ConfigArguments&, Output&)) {
  CLI::App* command = config.add_subcommand(name, text);
  auto arguments = std::make_shared<ConfigArguments>();
  AddSettingsFlags(*command, arguments->flags);
  command->footer(std::string(footer));
  command->callback([arguments, action, &invocation] {
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
  return {command, std::move(arguments)};
}

}  // namespace

void AddConfigCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* config = program.add_subcommand("config", "Show, check or write a server's settings");
  config->require_subcommand(1);
  auto [show, of_show] = AddBelowConfig(
      *config, invocation, "show", "Print every setting with its value", kShowFooter, ShowConfig);
  show->add_flag("--sources", of_show->sources, "Also print where each value comes from");
  AddJsonFlag(*show, invocation);
  auto [check, of_check] =
      AddBelowConfig(*config, invocation, "check", "Report all problems of the settings",
                     kCheckFooter, CheckConfig);
  check->add_option("FILE", of_check->file, "The settings file")->type_name("");
  AddJsonFlag(*check, invocation);
  auto [init, of_init] = AddBelowConfig(
      *config, invocation, "init", "Write a settings file with comments", kInitFooter, InitConfig);
  init->add_option("--out", of_init->file, "Write this file, which must not exist")
      ->type_name("FILE");
  init->add_option("--catalog", of_init->catalog, "As --catalog.url")->type_name("URL");
  init->add_option("--certificate", of_init->certificate, "As --tls.certificate")
      ->type_name("FILE");
  init->add_option("--key", of_init->key, "As --tls.key")->type_name("FILE");
}

}  // namespace koya::cli
