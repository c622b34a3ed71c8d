// koya reindex

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iterator>
#include <memory>
#include <string>

#include "base/text.h"
#include "cli/api/api_client.h"
#include "cli/api/place.h"
#include "cli/program.h"
#include "wire/readings.h"
#include "wire/search.h"

namespace koya::cli {
namespace {

constexpr std::string_view kReindexFooter =
    R"(Analyzes every published version again, and rebuilds its entries in the search index; entries of
unpublished versions are removed. The server keeps serving. Needed after versions were published or
withdrawn by a program without search. A version whose archive cannot be read is reported, and found
by its name and description only.
An interrupted run prints a place; pass it with --after to resume there.
Needs a token of scope admin for all namespaces.
Exit status 1 when some archives could not be read.

Examples:
  koya reindex
  koya reindex --config /etc/koya/koya.toml      while no server runs
  koya reindex --after modules/acme/vpc/aws@1.0.0)";

struct ReindexArguments {
  std::string after;
  PlaceFlags place;
};

constexpr std::size_t kMostTold = 1000;  // problems of a run

// One run: step after step.
class ReindexRun {
 public:
  ReindexRun(RegistryClientOptions connection, Output& output)
      : api_(std::move(connection)), output_(output) {}

  // Fails: as the first step that does; the message says how to go on.
  Result<wire::ReindexReport> From(std::string after) {
    while (true) {
      Result<wire::ReindexReport> step = api_.Send(At(wire::kReindex), {after});
      if (!step && after.empty()) return step;
      if (!step) {
        Error error = std::move(step).error();
        error.message += fmt::format("\n  to do: resume from here with --after '{}'", after);
        return Failure(std::move(error));
      }
      Keep(*step);
      // Ends even when a server's steps go in circles.
      if (step->next.empty() || step->next == after) return std::move(report_);
      after = std::move(step->next);
      NotePlace(after);
    }
  }

 private:
  void Keep(const wire::ReindexReport& step) {
    report_.indexed += step.indexed;
    report_.removed += step.removed;
    for (const wire::ReindexProblem& each : step.problems) {
      output_.Note(fmt::format("koya: {} {}: found by its name only: {}", Printable(each.address),
                               Printable(each.version), Printable(each.problem, 1000)));
      if (report_.problems.size() < kMostTold) report_.problems.push_back(each);
    }
  }

  void NotePlace(const std::string& after) {
    constexpr std::chrono::seconds kBetween(10);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_note_) return;
    next_note_ = now + kBetween;
    output_.Note(fmt::format("koya: {} indexed; to resume from here: --after '{}'", report_.indexed,
                             Printable(after, 500)));
  }

  ApiClient api_;
  Output& output_;
  wire::ReindexReport report_;
  std::chrono::steady_clock::time_point next_note_;  // the first step is noted
};

Result<int> RunReindex(const ReindexArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ReindexRun run(place.connection(), output);
  ASSIGN_OR_RETURN(wire::ReindexReport report, run.From(arguments.after));
  output.Print(fmt::format("Indexed {}; removed {}; names only {}", report.indexed, report.removed,
                           report.problems.size()));
  output.PrintDocument(wire::Encode(report));
  return report.problems.empty() ? 0 : 1;
}

}  // namespace

void AddReindexCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("reindex", "Rebuild the search index (scope admin)");
  auto arguments = std::make_shared<ReindexArguments>();
  command
      ->add_option("--after", arguments->after,
                   "Resume an interrupted run, at the place that it printed")
      ->type_name("PLACE");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kReindexFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return RunReindex(*arguments, output); };
  });
}

}  // namespace koya::cli
