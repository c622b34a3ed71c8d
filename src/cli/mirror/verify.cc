// koya verify, and koya mirror verify: the same for mirrored artifacts alone.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "cli/api/inventory_client.h"
#include "cli/api/place.h"
#include "cli/mirror/mirror.h"
#include "cli/mirror/warming.h"
#include "cli/text/upload_progress.h"
#include "hcl/config_folder.h"
#include "wire/verify.h"

namespace koya::cli {
namespace {

constexpr std::string_view kVerifyFooter =
    R"(Hashes every stored byte again: published packages (module archives, provider packages, SHA256SUMS
against the packages, signatures against their keys, docs and schemas), packages mirrored from
other registries, and files of drafts. Of each record of an object store it checks that the object
is there, with its size. Intact packages that today's rules would reject cause a warning.
In an object store the objects themselves are read, not this server's cache; a cached copy with
other bytes is dropped. With --repair, a correct copy replaces a lost object.
Other published packages are not changed: publish the same bytes again, or restore them from a
backup. Damaged packages of other registries are removed at once, so that the mirror does not serve
them; the same bytes are fetched again on request: packages and signatures right away with --repair,
a module only on request.
--rate limits the bytes that are read in a second, on average.
An interrupted run prints a place; pass it with --after to resume there.
Exit status 1 when anything is damaged or missing and was not repaired; 0 when all is intact.
With --lock, says of each provider in a lock file when and from where this registry has it, and of each
hash: known; differs (this registry has other bytes for that release); unknown (it does not have the
release); unchecked (an h1 of a package that was never here). Exit status 1 for differs and unknown.
With --fetch, the server first fetches missing packages of these releases, for all platforms.

Examples:
  koya verify
  koya verify --quick --json
  koya verify --rate 50MiB/s
  koya verify --data koya-data              while no server runs on it
  koya verify --storage                     objects without a record
  koya verify --after modules/acme/vpc/aws
  koya verify --lock .terraform.lock.hcl
  koya verify --lock .terraform.lock.hcl --fetch)";

constexpr std::string_view kMirrorFooter =
    R"(Hashes every byte mirrored from other registries again. Damaged packages are removed at once, so the
mirror does not serve them. The first bytes seen stay pinned: the same bytes are fetched again on
request: packages and signatures right away with --repair, a module only on request. Packages
imported from a registry that the server cannot pull from have to be imported again.
Exit status 1 when anything is damaged or missing and was not repaired. "koya verify" also checks
published packages.

Examples:
  koya mirror verify
  koya mirror verify --repair --provider 'registry.opentofu.org/*/*')";

struct VerifyArguments {
  std::vector<std::string> locks;  // verify these lock files, and nothing stored
  bool fetch = false;              // and have the server fetch the releases that it lacks
  wire::VerifyRequest wish;
  bool storage = false;
  bool mirrored_only = false;
  std::string after;
  std::size_t jobs = 4;
  std::uint64_t rate = 0;  // bytes per second; 0: as fast as it goes
  MirrorFilter filter;
  PlaceFlags place;
};

bool IsFine(const wire::CheckOutcome& outcome) {
  return outcome.state == "ok" || outcome.state == "not_held";
}

std::string Words(const wire::StoredArtifact& thing, const wire::CheckOutcome& outcome) {
  std::string words = fmt::format("{}: {}", thing.Name(), outcome.state);
  if (outcome.repaired) {
    return words + ", repaired" + (outcome.problem.empty() ? "" : ": " + outcome.problem);
  }
  if (!outcome.problem.empty()) return words + ", not repaired: " + outcome.problem;
  return words;
}

// Spaces out work so that its bytes do not exceed a rate on average. Threads: any.
class RateLimiter {
 public:
  explicit RateLimiter(std::uint64_t bytes_per_second) : rate_(bytes_per_second) {}

  // Waits until `bytes` more may be read.
  void Await(std::uint64_t bytes) {
    if (rate_ == 0) return;
    Clock::time_point turn;
    {
      std::lock_guard lock(mutex_);
      turn = std::max(next_, Clock::now());
      next_ = turn + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                         static_cast<double>(bytes) / static_cast<double>(rate_)));
    }
    std::this_thread::sleep_until(turn);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const std::uint64_t rate_;
  std::mutex mutex_;
  Clock::time_point next_;
};

// "50MiB/s", "50MiB".
std::optional<std::uint64_t> ParseRate(std::string_view text) {
  if (text.ends_with("/s")) text.remove_suffix(2);
  const std::optional<std::uint64_t> rate = ParseSize(text);
  return rate && *rate > 0 ? rate : std::nullopt;
}

// One run: page after page, the things of a page several at once.
class Verification {
 public:
  Verification(const VerifyArguments& arguments, const Place& place, Output& output)
      : arguments_(arguments), output_(output), connection_(place.connection()) {
    // A repair says nothing until it is done.
    connection_.http.stall_timeout = std::chrono::minutes(30);
    clients_.resize(std::max<std::size_t>(arguments.jobs, 1));
  }

  // Fails: as the first request that does; the message says how to go on.
  Result<wire::VerifyReport> Run() {
    RETURN_IF_ERROR(CheckPages());
    return std::move(report_);
  }

 private:
  Status CheckPages() {
    std::string after = arguments_.after;
    while (true) {
      Result<std::string> next = CheckPage(after);
      if (!next && after.empty()) return Failure(std::move(next).error());
      if (!next) {
        Error error = std::move(next).error();
        error.message += fmt::format("\n  to do: resume from here with --after '{}'", after);
        return Failure(std::move(error));
      }
      // Ends even when a server's pages go in circles.
      if (next->empty() || *next == after) return {};
      after = *std::move(next);
      NotePlace(after);
    }
  }

  ApiClient& Client(std::size_t worker) {
    if (!clients_[worker]) clients_[worker] = std::make_unique<ApiClient>(connection_);
    return *clients_[worker];
  }

  // Returns where the next page begins.
  Result<std::string> CheckPage(const std::string& after) {
    ASSIGN_OR_RETURN(wire::StoredArtifacts page,
                     Client(0).Send(At(wire::kListStored)
                                        .With("after", after)
                                        .WithAny("of", arguments_.mirrored_only ? "mirror" : "")));
    std::erase_if(page.things, [this](const wire::StoredArtifact& thing) {
      return !arguments_.filter.Wants(thing);
    });
    RETURN_IF_ERROR(CheckAll(page.things));
    return std::move(page.next);
  }

  // Prints each outcome as soon as it is known: damaged bytes of other registries are removed by
  // then, and a later run would not find them again.
  Status CheckAll(const std::vector<wire::StoredArtifact>& things) {
    std::uint64_t total = 0;
    for (const wire::StoredArtifact& thing : things) total += thing.size;
    const Shell& shell = output_.shell();
    UploadProgress progress(shell.err, total, shell.err_is_terminal);
    std::vector<std::optional<wire::CheckOutcome>> outcomes(things.size());
    std::mutex mutex;  // for outcomes and failure
    std::optional<Error> failure;
    RunJobs(things.size(), arguments_.jobs, [&](std::size_t worker, std::size_t index) {
      const wire::StoredArtifact& thing = things[index];
      progress.Begin(worker, thing.Name());
      Result<wire::CheckOutcome> outcome = Check(worker, thing);
      progress.Finish(worker, thing.size);
      std::lock_guard lock(mutex);
      if (!outcome) {
        if (!failure) failure = std::move(outcome).error();
        return false;
      }
      progress.Aside([&] { Tell(thing, *outcome); });
      outcomes[index] = *std::move(outcome);
      return true;
    });
    // In the order of the list, not of completion.
    for (std::size_t i = 0; i < things.size(); ++i) {
      if (outcomes[i]) Keep(things[i], *std::move(outcomes[i]));
    }
    if (failure) return Failure(*std::move(failure));
    return {};
  }

  // Fails with errors that every check would fail with.
  Result<wire::CheckOutcome> Check(std::size_t worker, const wire::StoredArtifact& thing) {
    if (!arguments_.wish.quick && thing.kind != "record") rate_.Await(thing.size);
    Result<wire::CheckOutcome> outcome = CheckStored(Client(worker), thing, arguments_.wish);
    if (outcome || IsHopeless(outcome.error())) return outcome;
    wire::CheckOutcome concluded;
    // An artifact that was withdrawn or removed in the meantime is not damaged.
    const ErrorKind kind = outcome.error().kind;
    bool gone = kind == ErrorKind::kNotFound || kind == ErrorKind::kGone;
    concluded.state = gone ? "not_held" : "damaged";
    if (!gone) concluded.problem = "it could not be checked: " + outcome.error().message;
    return concluded;
  }

  // True for an error that every other check would fail with, too.
  static bool IsHopeless(const Error& error) {
    switch (error.kind) {
      case ErrorKind::kUnauthenticated:
      case ErrorKind::kForbidden:
      case ErrorKind::kUnavailable:
      case ErrorKind::kTimeout:
        return true;
      default:
        return false;
    }
  }

  void Keep(const wire::StoredArtifact& thing, wire::CheckOutcome outcome) {
    ++report_.checked;
    if (IsFine(outcome) && outcome.warnings.empty()) return;
    report_.findings.push_back({thing, std::move(outcome)});
  }

  // REQUIRES: no other thread writes output.
  void Tell(const wire::StoredArtifact& thing, const wire::CheckOutcome& outcome) {
    if (!IsFine(outcome)) Tell(Words(thing, outcome));
    for (const std::string& warning : outcome.warnings) {
      Tell(fmt::format("{}: warning: {}", thing.Name(), warning));
    }
    output_.shell().out.flush();  // a run that is interrupted has said it
  }

  void Tell(const std::string& line) {
    if (output_.json()) {
      output_.Note("koya: " + line);
    } else {
      output_.Print(line);
    }
  }

  void NotePlace(const std::string& after) {
    constexpr std::chrono::minutes kBetween(1);
    auto now = std::chrono::steady_clock::now();
    if (now < next_note_) return;
    next_note_ = now + kBetween;
    output_.Note(
        fmt::format("koya: {} checked; to resume from here: --after '{}'", report_.checked, after));
  }

  const VerifyArguments& arguments_;
  Output& output_;
  RegistryClientOptions connection_;
  std::vector<std::unique_ptr<ApiClient>> clients_;  // by worker
  wire::VerifyReport report_;
  RateLimiter rate_{arguments_.rate};
  std::chrono::steady_clock::time_point next_note_;  // the first page is noted
};

// What lies in the object store though no record names it: nothing is damaged by that.
Result<int> ListUnknownObjects(const VerifyArguments& arguments, const Place& place,
                               Output& output) {
  ApiClient api(place.connection());
  wire::StoredArtifacts found;
  std::uint64_t bytes = 0;
  std::string after = arguments.after;
  while (true) {
    ASSIGN_OR_RETURN(wire::StoredArtifacts page,
                     api.Send(At(wire::kListStored).With("after", after).With("of", "storage")));
    for (wire::StoredArtifact& object : page.things) {
      output.Print(fmt::format("{}  {}", object.Name(), ReadableSize(object.size)));
      bytes += object.size;
      found.things.push_back(std::move(object));
    }
    if (page.next.empty() || page.next == after) break;
    after = std::move(page.next);
  }
  output.Note(found.things.empty()
                  ? "koya: every object in the store has a record"
                  : fmt::format("koya: {} objects ({}) have no record and are never removed: "
                                "remove them with the store's own tools",
                                found.things.size(), ReadableSize(bytes)));
  output.PrintDocument(wire::Encode(found));
  return 0;
}

// ---- lock files

bool IsAlarm(const wire::LockedHash& hash) {
  return hash.state == "differs" || hash.state == "unknown";
}

std::string OriginText(const wire::LockedProviderReport& provider) {
  if (provider.seen.empty()) return "not known to this registry";
  const bool own = provider.from == "published";
  std::string text =
      own ? fmt::format("published here {}", provider.seen)
          : fmt::format("first seen {} from {}", provider.seen, Printable(provider.from));
  if (!provider.by.empty()) text += " by " + Printable(provider.by);
  if (!provider.key.empty()) text += ", signed by " + Printable(provider.key);
  return text;
}

void PrintLocked(const wire::LockedProviderReport& provider, Output& output) {
  const auto known = std::ranges::count(provider.hashes, true, &wire::LockedHash::known);
  output.Print(fmt::format(
      "{} {}: {} of {} hashes known; {}{}", Printable(provider.address),
      Printable(provider.version), known, provider.hashes.size(), OriginText(provider),
      provider.verdict == "allow" ? "" : "; verdict now: " + Printable(provider.verdict)));
  for (const wire::LockedHash& hash : provider.hashes) {
    if (hash.known) continue;
    const std::string_view why =
        hash.state == "differs"   ? "differs: this registry has other bytes for that release"
        : hash.state == "unknown" ? "unknown: this registry lacks that release or its list of files"
                                  : "unchecked: this registry never had that package";
    output.Print(fmt::format("  {}  {}", Printable(hash.hash), why));
  }
}

Result<wire::LockReport> AskAboutLock(ApiClient& api, const std::string& file,
                                      const std::string& text) {
  http::ClientRequest request;
  request.fields.emplace_back("Content-Type", "text/plain");
  request.body = text;
  Result<http::ClientResponse> response = api.Call(At(wire::kVerifyLock), std::move(request));
  if (!response) {
    response.error().message = fmt::format("{}: {}", Printable(file), response.error().message);
    return Failure(std::move(response).error());
  }
  return wire::Decode<wire::LockReport>(response->body);
}

// Whether a fetch of the release can tell more of its hashes.
bool IsWorthFetching(const wire::LockedProviderReport& provider) {
  if (provider.from == "published" || provider.hashes.empty()) return false;
  return provider.seen.empty() ||
         std::ranges::any_of(provider.hashes, [](const wire::LockedHash& hash) {
           return hash.state == "unchecked" && hash.hash.starts_with("h1:");
         });
}

Result<WarmingRequest> ReleasesToFetch(const wire::LockReport& report) {
  WarmingRequest request;
  for (const wire::LockedProviderReport& provider : report.items) {
    if (!IsWorthFetching(provider)) continue;
    const std::string& address = provider.address;
    ASSIGN_OR_RETURN(HostName host, HostName::Parse(address.substr(0, address.find('/'))));
    RETURN_IF_ERROR(request.AddAddress(address, host));
    ASSIGN_OR_RETURN(Version version, Version::Parse(provider.version));
    request.providers.back().lock = LockedRelease{.version = std::move(version)};
  }
  return request;
}

// Has the server fetch the releases that it lacks, and asks again until it has inspected them.
Result<wire::LockReport> FetchAndAsk(const Place& place, wire::LockReport report,
                                     const std::function<Result<wire::LockReport>()>& ask,
                                     Output& output) {
  constexpr std::chrono::seconds kInspection{30};
  constexpr std::chrono::milliseconds kBetweenLooks{200};
  ASSIGN_OR_RETURN(const WarmingRequest missing, ReleasesToFetch(report));
  if (missing.providers.empty()) return report;
  bool all_fetched = true;
  for (const Warmed& each : WarmMirror(missing, {.connection = place.connection()})) {
    if (!each.failure) continue;
    all_fetched = false;
    output.Note(fmt::format("koya: {}: {}", each.Name(), each.failure->message));
  }
  const auto deadline = std::chrono::steady_clock::now() + kInspection;
  while (true) {
    ASSIGN_OR_RETURN(report, ask());
    const bool is_done = std::ranges::none_of(report.items, IsWorthFetching);
    if (is_done || !all_fetched || std::chrono::steady_clock::now() > deadline) return report;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

Result<int> VerifyLocks(const VerifyArguments& arguments, const Place& place, Output& output) {
  ApiClient api(place.connection());
  wire::LockReport report;
  for (const std::string& file : arguments.locks) {
    ASSIGN_OR_RETURN(const std::string text, hcl::ReadTextFile(file));
    const auto ask = [&] { return AskAboutLock(api, file, text); };
    ASSIGN_OR_RETURN(wire::LockReport found, ask());
    if (arguments.fetch) {
      ASSIGN_OR_RETURN(found, FetchAndAsk(place, std::move(found), ask, output));
    }
    for (wire::LockedProviderReport& provider : found.items) {
      provider.file = file;
      PrintLocked(provider, output);
      report.items.push_back(std::move(provider));
    }
  }
  output.PrintDocument(wire::Encode(report));
  return std::ranges::any_of(report.items,
                             [](const wire::LockedProviderReport& provider) {
                               return std::ranges::any_of(provider.hashes, IsAlarm);
                             })
             ? 1
             : 0;
}

Result<int> Verify(const VerifyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  if (!arguments.locks.empty()) return VerifyLocks(arguments, place, output);
  if (arguments.storage) return ListUnknownObjects(arguments, place, output);
  Verification verification(arguments, place, output);
  ASSIGN_OR_RETURN(wire::VerifyReport report, verification.Run());
  output.Print(fmt::format("Checked {}: {} damaged or missing, {} repaired", report.checked,
                           report.damaged(), report.repaired()));
  output.PrintDocument(wire::EncodeVerifyReport(report));
  return report.damaged() == report.repaired() ? 0 : 1;
}

void AddVerifyFlags(CLI::App& command, const std::shared_ptr<VerifyArguments>& arguments,
                    Invocation& invocation) {
  command.add_flag("--quick", arguments->wish.quick,
                   "Compare sizes only, without reading anything");
  command.add_flag(
      "--repair", arguments->wish.repair,
      "Fetch damaged or missing packages and signatures of other registries again (a module on "
      "request); store a server's correct copy again when the object store has lost it");
  command
      .add_option("--after", arguments->after,
                  "Resume an interrupted run, at the place that it printed")
      ->type_name("PLACE");
  command
      .add_option_function<std::string>(
          "--rate",
          [arguments](const std::string& text) {
            const std::optional<std::uint64_t> rate = ParseRate(text);
            if (!rate) {
              throw CLI::ValidationError(
                  "--rate", "write a size for each second with its unit, for example 50MiB/s");
            }
            arguments->rate = *rate;
          },
          "Read at most so many bytes in a second, for example 50MiB/s")
      ->type_name("SIZE");
  AddJobsFlag(command, arguments->jobs, "How many archives are checked at once");
  AddPlaceFlags(command, arguments->place);
  AddJsonFlag(command, invocation);
  command.callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Verify(*arguments, output); };
  });
}

}  // namespace

void AddVerifyCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("verify", "Verify the published and mirrored packages");
  auto arguments = std::make_shared<VerifyArguments>();
  AddVerifyFlags(*command, arguments, invocation);
  command
      ->add_flag("--storage", arguments->storage,
                 "Only list objects in the object store without a record, as left by a database "
                 "that lost its last changes")
      ->excludes("--quick", "--repair");
  command
      ->add_option("--lock", arguments->locks,
                   "Verify nothing stored, but each hash in this lock file; repeatable")
      ->excludes("--quick", "--repair", "--storage", "--after")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command
      ->add_flag("--fetch", arguments->fetch,
                 "First have the server fetch missing packages of the releases in the lock file")
      ->needs("--lock");
  command->footer(std::string(kVerifyFooter));
}

void AddMirrorVerifyCommand(CLI::App& mirror, Invocation& invocation) {
  CLI::App* command = mirror.add_subcommand("verify", "Verify and repair the mirrored packages");
  auto arguments = std::make_shared<VerifyArguments>();
  arguments->mirrored_only = true;
  AddMirrorFilterFlags(*command, arguments->filter);
  AddVerifyFlags(*command, arguments, invocation);
  command->footer(std::string(kMirrorFooter));
}

}  // namespace koya::cli
