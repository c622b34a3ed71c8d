// koya mirror verify

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/mirror.h"
#include "cli/mirror_filter.h"
#include "cli/mirror_place.h"
#include "cli/parallel_jobs.h"
#include "cli/stock_client.h"
#include "cli/upload_progress.h"

namespace koya::cli {
namespace {

constexpr std::string_view kFooter =
    R"(Every byte that is kept of other registries is hashed again, where it is stored. Damaged bytes are
removed at once, so that nobody is ever served them: what was seen first stays pinned, and the same
bytes are fetched again when they are asked for, or right away with --repair. What was imported, from
a registry that the server may not pull from, has to be imported again.
Exit status 1 when anything was damaged or missing and is not repaired.

Examples:
  koya mirror verify
  koya mirror verify --repair --provider 'registry.opentofu.org/*/*')";

struct VerifyArguments {
  bool repair = false;
  std::size_t jobs = 4;
  MirrorFilter filter;
  MirrorPlaceFlags place;
};

// One thing to check: ask(client) does.
struct Check {
  std::string name;
  std::uint64_t size = 0;
  std::function<Result<wire::CheckOutcome>(StockClient&)> ask;
};

struct Finding {
  std::string name;
  wire::CheckOutcome outcome;
};

Status AddChecks(const wire::StockRelease& stock, const VerifyArguments& arguments,
                 std::vector<Check>& checks) {
  ASSIGN_OR_RETURN(MirroredRelease release, ParseStock(stock));
  wire::CheckWish wish{.repair = arguments.repair};
  for (const wire::StockPackage& package : stock.packages) {
    if (!package.held || !arguments.filter.WantsPlatform(package.platform)) continue;
    ASSIGN_OR_RETURN(Platform platform, Platform::Parse(package.platform));
    checks.push_back({release.ToString() + " " + package.platform, package.size,
                      [release, platform, wish](StockClient& client) {
                        return client.CheckPackage(release, platform, wish);
                      }});
  }
  if (!stock.has_signature) return {};
  checks.push_back({release.ToString() + " SHA256SUMS", 0, [release, wish](StockClient& client) {
                      return client.CheckDocuments(release, wish);
                    }});
  return {};
}

Result<std::vector<Check>> MakeChecks(StockClient& client, const VerifyArguments& arguments) {
  std::vector<Check> checks;
  ASSIGN_OR_RETURN(std::vector<wire::StockRelease> releases, client.ListReleases());
  for (const wire::StockRelease& release : releases) {
    if (arguments.filter.Wants(release)) RETURN_IF_ERROR(AddChecks(release, arguments, checks));
  }
  ASSIGN_OR_RETURN(std::vector<wire::StockModule> modules, client.ListModules());
  wire::CheckWish wish{.repair = arguments.repair};
  for (const wire::StockModule& stock : modules) {
    if (!stock.held || !arguments.filter.Wants(stock)) continue;
    ASSIGN_OR_RETURN(MirroredModule module, ParseStock(stock));
    checks.push_back({module.ToString(), stock.size, [module, wish](StockClient& client) {
                        return client.CheckModule(module, wish);
                      }});
  }
  return checks;
}

// What was found wrong, in the order of the checks. Fails: as the first request that does.
Result<std::vector<Finding>> RunChecks(const std::vector<Check>& checks, const MirrorPlace& place,
                                       std::size_t jobs, Output& output) {
  RegistryClientOptions connection = place.connection();
  // A repair says nothing until it is done.
  connection.http.stall_timeout = std::chrono::minutes(30);
  std::uint64_t total = 0;
  for (const Check& check : checks) total += check.size;
  UploadProgress progress(output.surroundings().err, total, output.surroundings().err_is_terminal);
  std::vector<std::unique_ptr<StockClient>> clients(std::max<std::size_t>(jobs, 1));
  std::vector<std::optional<Finding>> found(checks.size());
  std::mutex mutex;
  std::optional<Error> failure;
  RunJobs(checks.size(), jobs, [&](std::size_t worker, std::size_t index) {
    if (!clients[worker]) clients[worker] = std::make_unique<StockClient>(connection);
    progress.Begin(worker, checks[index].name);
    Result<wire::CheckOutcome> outcome = checks[index].ask(*clients[worker]);
    progress.Finish(worker, checks[index].size);
    if (!outcome) {
      std::lock_guard lock(mutex);
      if (!failure) failure = std::move(outcome).error();
      return false;
    }
    // What was let go of meanwhile is not damaged.
    bool fine = outcome->state == "ok" || outcome->state == "not_held";
    if (!fine) found[index] = Finding{checks[index].name, *std::move(outcome)};
    return true;
  });
  if (failure) return Failure(*std::move(failure));
  std::vector<Finding> findings;
  for (std::optional<Finding>& each : found) {
    if (each) findings.push_back(*std::move(each));
  }
  return findings;
}

std::string Words(const Finding& finding) {
  const wire::CheckOutcome& outcome = finding.outcome;
  std::string words = fmt::format("{}: {}", finding.name, outcome.state);
  if (outcome.repaired) return words + ", repaired";
  if (!outcome.problem.empty()) return words + ", not repaired: " + outcome.problem;
  return words;
}

void PrintFindings(const std::vector<Finding>& findings, std::size_t checked, Output& output) {
  std::size_t repaired = 0;
  boost::json::array list;
  for (const Finding& finding : findings) {
    output.Print(Words(finding));
    if (finding.outcome.repaired) ++repaired;
    boost::json::object item;
    item["name"] = finding.name;
    item["state"] = finding.outcome.state;
    item["repaired"] = finding.outcome.repaired;
    item["problem"] = finding.outcome.problem;
    list.push_back(std::move(item));
  }
  output.Print(fmt::format("Checked {}: {} damaged or missing, {} repaired", checked,
                           findings.size(), repaired));
  boost::json::object document;
  document["checked"] = checked;
  document["repaired"] = repaired;
  document["findings"] = std::move(list);
  output.PrintDocument(boost::json::serialize(document));
}

Result<int> Verify(const VerifyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(MirrorPlace place, MirrorPlace::Open(arguments.place, output));
  StockClient client(place.connection());
  ASSIGN_OR_RETURN(std::vector<Check> checks, MakeChecks(client, arguments));
  ASSIGN_OR_RETURN(std::vector<Finding> findings, RunChecks(checks, place, arguments.jobs, output));
  PrintFindings(findings, checks.size(), output);
  for (const Finding& finding : findings) {
    if (!finding.outcome.repaired) return 1;
  }
  return 0;
}

}  // namespace

void AddMirrorVerifyCommand(CLI::App& mirror, Invocation& invocation) {
  CLI::App* command =
      mirror.add_subcommand("verify", "Hash what is mirrored again, and mend what is damaged");
  auto arguments = std::make_shared<VerifyArguments>();
  command->add_flag("--repair", arguments->repair, "Fetch what is damaged or missing again");
  AddMirrorFilterFlags(*command, arguments->filter);
  AddJobsFlag(*command, arguments->jobs, "How many packages are checked at once");
  AddMirrorPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Verify(*arguments, output); };
  });
}

}  // namespace koya::cli
