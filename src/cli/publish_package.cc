#include "cli/publish_package.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/impact.h"
#include "cli/text/comparison_text.h"
#include "cli/text/upload_progress.h"
#include "cli/text/usage_block.h"
#include "domain/source_repository.h"
#include "inspect/module_block.h"

namespace koya::cli {
namespace {

// Clients reach the server under the name it gives its archives, which may differ from the one
// this command was given (a port forward, an address inside).
std::string PublicHost(const wire::PublishedModule& module, const http::Url& server) {
  Result<http::Url> location = http::ParseUrl(module.location);
  return location ? location->Authority() : server.Authority();
}

std::string WarningText(const wire::ReadWarning& warning) {
  std::string place = Printable(warning.file, 200);
  if (warning.line > 0) place += fmt::format(":{}", warning.line);
  return (place.empty() ? "" : place + ": ") + Printable(warning.text, 600);
}

// What could not be read, and whether the number agrees with what changed.
void NoteWhatWasRead(const wire::PublishedModule& module, Output& output) {
  for (const wire::ReadWarning& each : module.warnings) {
    output.Note("koya: warning: " + WarningText(each));
  }
  if (module.warnings_left_out > 0) {
    output.Note(fmt::format("koya: and {} more warnings", module.warnings_left_out));
  }
  NoteDisagreement(module.comparison, module.address, output);
}

void NoteCopies(const std::vector<std::string>& links, Output& output) {
  constexpr std::size_t kMostNamed = 10;
  for (std::size_t i = 0; i < std::min(links.size(), kMostNamed); ++i) {
    output.Note(fmt::format("koya: {} is a symbolic link: a copy of its target is packed",
                            Printable(links[i], 400)));
  }
  if (links.size() <= kMostNamed) return;
  output.Note(fmt::format("koya: and {} more links", links.size() - kMostNamed));
}

void PrintDetails(const wire::PublishedModule& module, Output& output) {
  output.Print(fmt::format("  digest  {}", module.digest));
  output.Print(fmt::format("  size    {} bytes", module.size));
  PrintVisibility("access  ", module.visibility, output);
  if (module.repacked)
    output.Print("  note    the server repacked the archive, with the module at its root");
}

// Of a module without configuration at its root, the submodules. What cannot be read here the
// server has taken nevertheless: then the root.
std::vector<std::string> FoldersOf(const Package& package) {
  Result<HostName> host = HostName::Parse("registry.opentofu.org");  // nothing depends on it
  if (!host) return {};
  Result<inspect::ModuleContents> inside = ReadPackage(package, {.default_host = *std::move(host)});
  return inside ? inspect::FoldersToUse(*inside) : std::vector<std::string>();
}

void PrintOutcome(const PublishOutcome& outcome, bool after_doubt, const ModuleAddress& address,
                  const std::string& block, Output& output) {
  const wire::PublishedModule& module = outcome.module;
  bool published = outcome.created || after_doubt;
  output.Print(fmt::format(
      "{} {} {}{}", published ? "Published" : "Already published, unchanged:",
      output.Bold(module.address), output.Bold(module.version),
      published && !outcome.created ? " (it was stored before the second attempt)" : ""));
  PrintDetails(module, output);
  NoteNewNamespace(address.ns(), module.made_namespace, output);
  PrintAgreement(module.comparison, output);
  output.Print("\nUse it:\n");
  output.Print(block);
  NoteWhatWasRead(module, output);
}

// What a publish would do.
void PrintDryRun(const wire::PublishedModule& module, Output& output) {
  const bool refused = !module.refusal.empty();
  output.Print(fmt::format("{} {} {} (dry run: nothing was stored)",
                           refused ? output.Red("Would be rejected:") : "Can be published:",
                           output.Bold(module.address), output.Bold(module.version)));
  PrintDetails(module, output);
  if (module.comparison) {
    output.Print("");
    PrintComparisonBriefly(*module.comparison, output);
  }
  if (!module.warnings.empty()) {
    output.Print("");
    output.Print(
        output.Bold(fmt::format("Warnings {}", module.warnings.size() + module.warnings_left_out)));
  }
  for (const wire::ReadWarning& each : module.warnings) {
    for (const std::string& line : WrapText(WarningText(each), kTextColumns - 2)) {
      output.Print("  " + line);
    }
  }
  if (module.warnings_left_out > 0) {
    output.Print(fmt::format("  and {} more", module.warnings_left_out));
  }
  if (refused) output.Note("koya: " + Printable(module.refusal, 4000));
}

constexpr unsigned kLongestPause = 10;  // seconds

Result<PublishOutcome> Send(RegistryClient& client, const PackagePublish& publish,
                            const Shell& shell) {
  const Package& package = publish.package;
  ProgressBar bar(shell.err, package.size, shell.err_is_terminal);
  auto on_progress = [&bar](std::uint64_t sent) { bar.Show(sent); };
  return client.Publish(publish.address, publish.version, package.kind,
                        {package.file.get(), package.size, std::move(on_progress)}, publish.dry_run,
                        publish.source_url);
}

// True if the server could not say whether the version was stored, since its database failed
// meanwhile; it then says when to retry. A server that cannot be reached does not.
bool IsInDoubt(const Error& error) {
  return error.kind == ErrorKind::kUnavailable && error.retry_after > 0;
}

}  // namespace

Result<wire::PublishedModule> PublishPackage(RegistryClient& client, const PackagePublish& publish,
                                             Output& output) {
  NoteCopies(publish.package.copied_links, output);
  Result<PublishOutcome> outcome = Send(client, publish, output.shell());
  const bool in_doubt = !outcome && IsInDoubt(outcome.error());
  if (in_doubt) {
    // Publishing the same bytes twice is publishing them once.
    unsigned seconds = std::clamp(outcome.error().retry_after, 1U, kLongestPause);
    output.Note("koya: " + outcome.error().message);
    output.Note(fmt::format("koya: retrying in {} s", seconds));
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    outcome = Send(client, publish, output.shell());
  }
  if (!outcome) return Failure(std::move(outcome).error());
  if (publish.dry_run && !outcome->module.dry_run) {
    return FailRefused("{} {} was published: this server is too old for dry runs",
                       publish.address.ToString(), publish.version.ToString());
  }
  if (publish.dry_run) {
    PrintDryRun(outcome->module, output);
    return std::move(outcome->module);
  }
  const std::string host = PublicHost(outcome->module, client.server());
  const std::vector<std::string> folders = publish.subfolder.empty()
                                               ? FoldersOf(publish.package)
                                               : std::vector<std::string>{publish.subfolder};
  PrintOutcome(*outcome, in_doubt, publish.address,
               ModuleBlock(host, publish.address, outcome->module.version, folders), output);
  if (const std::string warning = HostWarning(host); !warning.empty()) output.Note(warning);
  return std::move(outcome->module);
}

void AddSourceFlag(CLI::App& command, std::string& url) {
  command
      .add_option("--source-url", url,
                  "The repository that it is made from, for updaters and pages; //FOLDER behind it "
                  "names a folder (default: the CI job's repository)")
      ->type_name("URL");
}

Result<std::string> CheckedSource(const std::string& url) {
  if (url.empty()) return std::string();
  Result<SourceRepository> source = SourceRepository::Parse(url);
  if (!source) return FailInvalid("--source-url: {}", source.error().message);
  return source->ToString();
}

std::string SourceOfFolder(const std::string& url, const std::string& folder) {
  if (url.empty() || folder.empty()) return url;
  const Result<SourceRepository> top = SourceRepository::Parse(url);
  if (!top) return url;
  const bool deeper = !top->directory().empty();
  const auto below = SourceRepository::Parse(url + (deeper ? "/" : "//") + folder);
  return below ? below->ToString() : url;
}

}  // namespace koya::cli
