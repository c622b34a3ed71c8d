// koya complete-words: what completion scripts ask for where an argument names something on the
// server. Prints a word a line, and nothing when anything fails: a shell waits for it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/private_file.h"
#include "cli/api/provider_client.h"
#include "cli/api/registry_client.h"
#include "cli/completion.h"
#include "cli/program.h"
#include "domain/digest.h"
#include "wire/namespaces.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kCachedFor{60};
constexpr std::chrono::seconds kLongestWait{3};

// One server's answers to one user are cached in a file each.
fs::path CachedAt(const Variables& variables, const RegistryClientOptions& connection,
                  std::string_view question) {
  fs::path cache = Variable(variables, "XDG_CACHE_HOME");
  const fs::path home = Variable(variables, "HOME");
  if (cache.empty() && !home.empty()) cache = home / ".cache";
  if (cache.empty()) return {};
  const std::string key =
      fmt::format("{}\n{}\n{}", connection.server.Origin(), connection.token, question);
  return cache / "koya" / fmt::format("words-{}", Digest::Of(key).hex());
}

std::optional<std::string> ReadCached(const fs::path& file) {
  std::error_code unknown;
  const fs::file_time_type written = fs::last_write_time(file, unknown);
  if (unknown || fs::file_time_type::clock::now() - written > kCachedFor) return std::nullopt;
  Result<std::string> text = ReadSmallFile(file);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

// Files of other questions that nothing reads any more go with it.
void WriteCached(const fs::path& file, const std::string& lines) {
  std::error_code failed;
  const fs::path folder = file.parent_path();
  if (fs::create_directories(folder, failed)) {
    fs::permissions(folder, fs::perms::owner_all, failed);
  }
  for (fs::directory_iterator each(folder, failed), end; !failed && each != end;
       each.increment(failed)) {
    std::error_code unknown;
    const bool is_old =
        fs::file_time_type::clock::now() - each->last_write_time(unknown) > kCachedFor;
    const bool has_words = each->path().filename().string().starts_with("words-");
    if (!unknown && is_old && has_words) fs::remove(each->path(), unknown);
  }
  static_cast<void>(WriteFileAtomically(file, lines, 0600));
}

Result<std::string> FetchNamespaces(const RegistryClientOptions& connection, std::string_view end) {
  ASSIGN_OR_RETURN(wire::NamespaceList list, ApiClient(connection).Send(At(wire::kListNamespaces)));
  std::string lines;
  for (const wire::Namespace& each : list.items) lines += fmt::format("{}{}\n", each.name, end);
  return lines;
}

Result<std::string> FetchAddresses(const RegistryClientOptions& connection, std::string_view ns,
                                   std::string_view command) {
  std::string lines;
  if (!command.contains("provider")) {
    ASSIGN_OR_RETURN(wire::ModuleList list, RegistryClient(connection).ListModules(ns));
    for (const wire::ModuleDetails& each : list.modules) {
      lines += fmt::format("{}/{}/{}\n", each.ns, each.name, each.system);
    }
  }
  if (!command.contains("module")) {
    ASSIGN_OR_RETURN(wire::ProviderList list, ProviderClient(connection).ListProviders(ns));
    for (const wire::ProviderDetails& each : list.providers) {
      lines += fmt::format("{}/{}\n", each.ns, each.type);
    }
  }
  return lines;
}

Result<std::string> FetchVersions(const RegistryClientOptions& connection,
                                  const std::string& address) {
  std::vector<std::string> versions;
  if (Result<ModuleAddress> module = ModuleAddress::Parse(address)) {
    ASSIGN_OR_RETURN(wire::ModuleDetails details,
                     RegistryClient(connection).ShowModule(*module, std::nullopt));
    versions = std::move(details.versions);
  } else {
    ASSIGN_OR_RETURN(ProviderAddress provider, ProviderAddress::Parse(address));
    ASSIGN_OR_RETURN(wire::ProviderDetails details,
                     ProviderClient(connection).ShowProvider(provider, std::nullopt));
    versions = std::move(details.versions);
  }
  return fmt::format("{}\n", fmt::join(versions, "\n"));
}

Result<std::string> FetchWords(const RegistryClientOptions& connection,
                               const CompletedArgument& argument) {
  if (argument.name == "NAMESPACE") return FetchNamespaces(connection, "");
  if (argument.name == "ADDRESS") {
    const std::size_t slash = argument.beginning.find('/');
    if (slash == std::string::npos) return FetchNamespaces(connection, "/");
    return FetchAddresses(connection, argument.beginning.substr(0, slash), argument.command);
  }
  const auto address = std::ranges::find_if(
      argument.before, [](const std::string& word) { return word.contains('/'); });
  if (address == argument.before.end()) return std::string();
  return FetchVersions(connection, *address);
}

Result<int> PrintWords(const std::vector<std::string>& words, Output& output) {
  Invocation unused{.shell = output.shell(), .action = {}};
  const CompletedArgument argument = ArgumentAtEnd(
      *BuildCommands(unused, words.empty() ? std::string_view() : words.front()), words);
  constexpr std::string_view kKnown[] = {"NAMESPACE", "ADDRESS", "VERSION", "FROM", "TO"};
  if (std::ranges::find(kKnown, argument.name) == std::end(kKnown)) return 0;
  std::ostringstream silent;
  const Shell quiet{
      .variables = output.shell().variables, .out = output.shell().out, .err = silent};
  Output nothing(quiet, false);
  Result<RegistryClientOptions> connection = ChooseConnection(argument.server, nothing);
  if (!connection) return 0;
  connection->http.total_timeout = kLongestWait;
  const std::string question =
      fmt::format("{}\n{}\n{}\n{}", argument.command, argument.name,
                  argument.beginning.substr(0, argument.beginning.find('/') + 1),
                  fmt::join(argument.before, "\n"));
  const fs::path cached = CachedAt(quiet.variables, *connection, question);
  std::optional<std::string> lines = ReadCached(cached);
  if (!lines) {
    Result<std::string> fetched = FetchWords(*connection, argument);
    if (!fetched) return 0;
    lines = *std::move(fetched);
    if (!cached.empty()) WriteCached(cached, *lines);
  }
  output.shell().out << *lines;
  return 0;
}

}  // namespace

void AddCompleteWordsCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("complete-words", "For completion scripts");
  command->group("");
  command->prefix_command();
  command->callback([command, &invocation] {
    invocation.action = [words = command->remaining()](Output& output) {
      return PrintWords(words, output);
    };
  });
}

}  // namespace koya::cli
