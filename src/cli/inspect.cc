// koya inspect PATH, koya inspect --all

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/api/api_client.h"
#include "cli/api/place.h"
#include "cli/package.h"
#include "cli/program.h"
#include "cli/text/module_report.h"
#include "inspect/module_json.h"
#include "inspect/reader.h"
#include "wire/readings.h"

namespace koya::cli {
namespace {

constexpr std::string_view kInspectFooter =
    R"(Shows a module's contents: inputs, outputs, resources, requirements, unreadable parts. Nothing is
run, and no server is contacted.

With --all, a server analyzes its published and mirrored modules that were not analyzed yet, or only
by an older program. A server does that slowly by itself; this does it at once, and lists versions
whose archive cannot be read. You can interrupt and repeat it. Needs a token of scope admin for all
namespaces. Exit status 1 when some archives could not be read.

Examples:
  koya inspect ./vpc
  koya inspect vpc-1.2.0.tar.gz --json
  koya inspect --all
  koya inspect --all --config /etc/koya/koya.toml      while no server runs)";

struct InspectArguments {
  bool all = false;
  PlaceFlags place;
  std::string path;
  std::string host = "registry.opentofu.org";
  std::string version;
};

constexpr std::size_t kMostUnreadTold = 1000;  // problems of a run

void KeepStep(const wire::ReadingReport& step, Output& output, wire::ReadingReport* all) {
  all->read += step.read;
  all->left = step.left;
  for (const wire::ReadingProblem& each : step.problems) {
    output.Note(fmt::format("koya: {} {}: cannot be read: {}", Printable(each.address),
                            Printable(each.version), Printable(each.problem, 1000)));
    if (all->problems.size() < kMostUnreadTold) all->problems.push_back(each);
  }
}

// Fails: as the first step that does. Versions analyzed until then stay analyzed.
Result<int> InspectAll(const InspectArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ApiClient api(place.connection());
  wire::ReadingReport all;
  std::string after;
  while (true) {
    ASSIGN_OR_RETURN(wire::ReadingReport step, api.Send(At(wire::kInspectUnread), {after}));
    KeepStep(step, output, &all);
    output.Note(fmt::format("koya: {} of {} analyzed", all.read, all.read + all.left));
    // Ends even when a server's steps go in circles.
    if (step.next.empty() || step.next == after) break;
    after = std::move(step.next);
  }
  output.Print(fmt::format("Analyzed {}; could not be read {}", all.read, all.problems.size()));
  output.PrintDocument(wire::Encode(all));
  return all.problems.empty() ? 0 : 1;
}

Result<int> InspectPath(const InspectArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(HostName host, HostName::Parse(arguments.host));
  ASSIGN_OR_RETURN(Package package,
                   OpenPackage(arguments.path, TemporaryFolder(output.shell().variables)));
  inspect::ReadOptions options{.default_host = std::move(host), .version = arguments.version};
  ASSIGN_OR_RETURN(const inspect::ModuleContents contents, ReadPackage(package, options));
  PrintContents(contents, output);
  output.PrintDocument(inspect::AnswerContents(contents));
  return 0;
}

}  // namespace

void AddInspectCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* inspect = program.add_subcommand(
      "inspect", "Show the contents of a module on this machine, or analyze a server's");
  auto arguments = std::make_shared<InspectArguments>();
  CLI::Option* path =
      inspect->add_option("PATH", arguments->path, "The module's folder, or an archive of it")
          ->type_name("");
  CLI::Option* all = inspect->add_flag(
      "--all", arguments->all, "Analyze every module of a server that was not analyzed yet");
  inspect
      ->add_option("--module-version", arguments->version,
                   "The version it will have, for the changelog's section")
      ->type_name("VERSION")
      ->excludes(all);
  inspect
      ->add_option("--default-host", arguments->host,
                   "The registry of addresses without a host (default: registry.opentofu.org)")
      ->type_name("HOST")
      ->excludes(all);
  path->excludes(all);
  AddPlaceFlags(*inspect, arguments->place);
  AddJsonFlag(*inspect, invocation);
  inspect->footer(std::string(kInspectFooter));
  inspect->callback([path, arguments, &invocation] {
    if (path->empty() && !arguments->all) {
      throw CLI::ValidationError("inspect", "PATH is required, or --all");
    }
    invocation.action = [arguments](Output& output) {
      return arguments->all ? InspectAll(*arguments, output) : InspectPath(*arguments, output);
    };
  });
}

}  // namespace koya::cli
