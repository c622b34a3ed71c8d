// The ledger's promise, in every order in which things can happen: two publishers of the same
// bytes, who may be killed and come again, one who marks, one who sweeps, one who reads what was
// lost, and requests to the store that take effect long after their senders are gone. Each step is
// one statement, or one request.
//
//   bytes that were reported as recorded can be read, from the object that FindStored names
//
// Ages keep publishers from being refused; the promise does not rest on them, so in most of these
// worlds nothing is too young to go.
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/run_task.h"
#include "catalog/memory_blob_ledger_fake.h"

namespace koya {
namespace {

using std::chrono::seconds;

// Possible mistakes of an implementation. The model must detect each.
enum class Mistake {
  kNone,
  kRecordWithoutRenewal,  // "it was just uploaded"
  kReadThenRecord,        // the check is not part of the record's transaction
  kLookThenMark,          // needs are read in one transaction, and marked in the next
  kNameIsTheDigest,       // an object's name is used again
  kForgetThenDelete,      // the row goes first
};

struct Plan {
  Mistake mistake = Mistake::kNone;
  seconds grace{-1};                            // everything is old
  int kills = 1;                                // of publishers and the sweeper
  int rounds = 1;                               // of the marker and the sweeper
  std::optional<FakeBlobLedger::State> before;  // the bytes' object before it all begins
  bool came_back = false;                       // it was lost, and the store has it again
  bool refusals_are_wrong = false;
};

const Digest& TheDigest() {
  static const Digest digest = Digest::Of("content");
  return digest;
}

// A ledger in memory never waits.
template <class T>
Result<T> Now(Task<T> task) {
  static boost::asio::io_context loop(1);
  std::optional<Result<T>> outcome;
  loop.restart();
  boost::asio::co_spawn(loop, StoreOutcome(std::move(task), &outcome),
                        [](std::exception_ptr error) {
                          if (error) std::rethrow_exception(error);
                        });
  loop.run();
  return *std::move(outcome);
}

struct Publisher {
  enum Step { kArrive, kUpload, kSettle, kCheck, kRecord, kDone };
  Step step = kArrive;
  std::string name;
  bool acknowledged = false;
};

struct Collector {
  int step = 0;
  int rounds = 0;
};

// Reads a lost object, and reports it when it is intact.
struct Reader {
  bool done = false;
  std::string read;
};

// Everything at one moment. Copies are independent.
struct World {
  explicit World(const Plan& given)
      : plan(&given),
        kills(given.kills),
        marker{.rounds = given.rounds},
        sweeper{.rounds = given.rounds} {
    Connect();
  }
  World(const World& other) = default;

  void Connect() {
    ledger.SetReferenced([this](const Digest&) { return recorded && !looked_away; });
  }

  const Plan* plan;
  FakeBlobLedger ledger;
  std::set<std::string> objects;  // those in the store
  bool recorded = false;          // something refers to the bytes
  bool looked_away = false;
  std::array<Publisher, 2> publishers;
  int names = 0;
  int kills;
  Collector marker, sweeper;
  Reader reader;
  bool seen_unreferenced = false;
  std::vector<std::string> listed;     // what the sweeper is about to remove
  std::set<std::string> late_deletes;  // sent, and to take effect once more
  std::set<std::string> late_puts;
  std::set<std::string> abandoned;  // uploads whose publisher never knew that they were settled
};

enum Action {
  kFirstPublisher,
  kSecondPublisher,
  kMarker,
  kSweeper,
  kReader,
  kLateDelete,
  kLatePut,
  kKillFirst,
  kKillSecond,
  kKillSweeper,
  kActions
};
constexpr const char* kActionNames[] = {
    "first publisher", "second publisher", "marker",     "sweeper",     "reader",
    "late delete",     "late put",         "kill first", "kill second", "kill sweeper"};

std::string NewName(World& world) {
  if (world.plan->mistake == Mistake::kNameIsTheDigest) return "digest";
  return "object " + std::to_string(world.names++);
}

// After the bytes are stored.
Publisher::Step StepToRecord(const World& world) {
  return world.plan->mistake == Mistake::kReadThenRecord ? Publisher::kCheck : Publisher::kRecord;
}

void Record(World& world, Publisher& publisher) {
  const Mistake mistake = world.plan->mistake;
  const bool unchecked =
      mistake == Mistake::kRecordWithoutRenewal || mistake == Mistake::kReadThenRecord;
  const bool renewed = unchecked || world.ledger.Renew({TheDigest()}).has_value();
  world.recorded = world.recorded || renewed;
  publisher.acknowledged = renewed;
  publisher.step = Publisher::kDone;
}

void Publish(World& world, Publisher& publisher) {
  switch (publisher.step) {
    case Publisher::kArrive: {
      publisher.name = NewName(world);
      auto stored = Now(world.ledger.Arrive({publisher.name, TheDigest(), 7}));
      publisher.step = Publisher::kUpload;
      if (!stored) publisher.step = Publisher::kDone;
      if (stored && *stored) publisher.step = StepToRecord(world);
      if (publisher.step == Publisher::kUpload) world.abandoned.insert(publisher.name);
      return;
    }
    case Publisher::kUpload:
      world.objects.insert(publisher.name);
      publisher.step = Publisher::kSettle;
      return;
    case Publisher::kSettle: {
      const bool settled = Now(world.ledger.CompleteUpload(publisher.name)).has_value();
      world.abandoned.erase(publisher.name);
      if (!settled) world.objects.erase(publisher.name);  // no other process will
      publisher.step = settled ? StepToRecord(world) : Publisher::kDone;
      return;
    }
    case Publisher::kCheck: {
      const bool found = Now(world.ledger.FindStored(TheDigest())).has_value();
      publisher.step = found ? Publisher::kRecord : Publisher::kDone;
      return;
    }
    case Publisher::kRecord:
      Record(world, publisher);
      return;
    case Publisher::kDone:
      return;
  }
}

// Lists objects, and marks a page of them.
void Mark(World& world) {
  Collector& marker = world.marker;
  if (marker.step == 0) {
    world.seen_unreferenced = !world.recorded;
    marker.step = 1;
    return;
  }
  if (world.plan->mistake == Mistake::kLookThenMark) {
    world.looked_away = world.seen_unreferenced;
  }
  Now(world.ledger.MarkLeaving({TheDigest()}, world.plan->grace)).value();
  world.looked_away = false;
  marker = {.step = 0, .rounds = marker.rounds - 1};
}

void Delete(World& world) {
  for (const std::string& name : world.listed) {
    world.objects.erase(name);
    world.late_deletes.insert(name);
  }
}

void Forget(World& world) {
  for (const std::string& name : world.listed) Now(world.ledger.DeleteRow(name)).value();
}

void Sweep(World& world) {
  Collector& sweeper = world.sweeper;
  const bool forget_first = world.plan->mistake == Mistake::kForgetThenDelete;
  switch (sweeper.step++) {
    case 0:
      Now(world.ledger.GiveUpArrivals(world.plan->grace)).value();
      return;
    case 1:
      world.listed.clear();
      for (const BlobObject& each : Now(world.ledger.ListLeaving(seconds(-1), 1000)).value()) {
        world.listed.push_back(each.name);
      }
      if (world.listed.empty()) sweeper = {.step = 0, .rounds = sweeper.rounds - 1};
      return;
    case 2:
      forget_first ? Forget(world) : Delete(world);
      return;
    default:
      forget_first ? Delete(world) : Forget(world);
      world.listed.clear();
      sweeper = {.step = 0, .rounds = sweeper.rounds - 1};
      return;
  }
}

void Read(World& world) {
  Reader& reader = world.reader;
  if (!reader.read.empty()) {
    Now(world.ledger.Regain(reader.read)).value();
    reader = {.done = true, .read = {}};
    return;
  }
  auto found = Now(world.ledger.FindStored(TheDigest()));
  const bool is_back = found && found->lost && world.objects.contains(found->name);
  if (is_back) reader.read = found->name;
  reader.done = !is_back;
}

// Its requests on the way may still arrive. It comes back without any state.
void Kill(World& world, Publisher& publisher) {
  --world.kills;
  if (publisher.step == Publisher::kUpload) world.late_puts.insert(publisher.name);
  publisher = Publisher();
}

void KillSweeper(World& world) {
  --world.kills;
  world.listed.clear();
  world.sweeper.step = 0;
}

void TakeEffect(World& world, std::set<std::string>& late, bool put) {
  for (const std::string& name : late) {
    if (put) {
      world.objects.insert(name);
    } else {
      world.objects.erase(name);
    }
  }
  late.clear();
}

bool IsBusy(const Publisher& publisher) {
  return publisher.step != Publisher::kArrive && publisher.step != Publisher::kDone;
}

bool IsPossible(const World& world, int action) {
  switch (action) {
    case kFirstPublisher:
      return world.publishers[0].step != Publisher::kDone;
    case kSecondPublisher:
      return world.publishers[1].step != Publisher::kDone;
    case kMarker:
      return world.marker.rounds > 0;
    case kSweeper:
      return world.sweeper.rounds > 0;
    case kReader:
      return world.plan->came_back && !world.reader.done;
    case kLateDelete:
      return !world.late_deletes.empty();
    case kLatePut:
      return !world.late_puts.empty();
    case kKillFirst:
      return world.kills > 0 && IsBusy(world.publishers[0]);
    case kKillSecond:
      return world.kills > 0 && IsBusy(world.publishers[1]);
    default:
      return world.kills > 0 && !world.listed.empty();
  }
}

// REQUIRES: it is possible.
void Do(World& world, int action) {
  switch (action) {
    case kFirstPublisher:
      return Publish(world, world.publishers[0]);
    case kSecondPublisher:
      return Publish(world, world.publishers[1]);
    case kMarker:
      return Mark(world);
    case kSweeper:
      return Sweep(world);
    case kReader:
      return Read(world);
    case kLateDelete:
      return TakeEffect(world, world.late_deletes, false);
    case kLatePut:
      return TakeEffect(world, world.late_puts, true);
    case kKillFirst:
      return Kill(world, world.publishers[0]);
    case kKillSecond:
      return Kill(world, world.publishers[1]);
    default:
      return KillSweeper(world);
  }
}

// Two worlds with one description have the same future.
std::string Describe(const World& world) {
  std::string text;
  for (const FakeBlobLedger::Row& row : world.ledger.Rows()) {
    text += row.object.name + "=" + std::to_string(static_cast<int>(row.state)) + ";";
  }
  auto add = [&text](const auto& names) {
    text += "|";
    for (const std::string& name : names) text += name + ",";
  };
  add(world.objects);
  add(world.listed);
  add(world.late_deletes);
  add(world.late_puts);
  add(world.abandoned);
  for (const Publisher& each : world.publishers) {
    text += "|" + std::to_string(each.step) + each.name + (each.acknowledged ? "!" : "");
  }
  for (const Collector& each : {world.marker, world.sweeper}) {
    text += "|" + std::to_string(each.step) + "," + std::to_string(each.rounds);
  }
  text += "|" + world.reader.read + (world.reader.done ? "." : "");
  return text + "|" + std::to_string(world.kills) + (world.recorded ? "r" : "") +
         (world.seen_unreferenced ? "u" : "") + std::to_string(world.names);
}

bool AnyAcknowledged(const World& world) {
  return world.publishers[0].acknowledged || world.publishers[1].acknowledged;
}

// The invariant that is violated at this moment; "" if none is.
std::string WhatIsWrong(World& world) {
  if (!AnyAcknowledged(world)) return "";
  auto stored = Now(world.ledger.FindStored(TheDigest()));
  if (!stored) return "acknowledged bytes have no object";
  return world.objects.contains(stored->name) ? "" : "acknowledged bytes are gone from the store";
}

// The invariant that is violated when no step is left.
std::string WhatIsWrongInTheEnd(World& world) {
  for (const std::string& name : world.objects) {
    if (!world.ledger.StateOf(name) && !world.abandoned.contains(name)) {
      return "nobody knows of the object " + name;
    }
  }
  for (const Publisher& each : world.publishers) {
    if (world.plan->refusals_are_wrong && !each.acknowledged) return "a publisher was refused";
  }
  return "";
}

// Goes through all orders. Worlds that look the same are gone through once, and count as often as
// there are ways to them.
class Explorer {
 public:
  explicit Explorer(const Plan& plan) : plan_(plan) {}

  void Run() {
    World world(plan_);
    if (plan_.before) Prepare(world, *plan_.before);
    schedules_ = Explore(world);
  }

  double schedules() const { return schedules_; }
  std::size_t worlds() const { return seen_.size(); }
  // "" when nothing was wrong; else what, and the steps that led to it.
  const std::string& wrong() const { return wrong_; }

 private:
  static void Prepare(World& world, FakeBlobLedger::State state) {
    ASSERT_TRUE(Now(world.ledger.Arrive({"before", TheDigest(), 7})));
    ASSERT_TRUE(Now(world.ledger.CompleteUpload("before")));
    world.objects.insert("before");
    if (state == FakeBlobLedger::State::kLost) {
      ASSERT_TRUE(Now(world.ledger.Lose("before")));
      if (!world.plan->came_back) world.objects.clear();
    }
    if (state == FakeBlobLedger::State::kLeaving) {
      ASSERT_TRUE(Now(world.ledger.MarkLeaving({TheDigest()}, seconds(-1))));
    }
  }

  double Explore(World& world) {
    const std::string description = Describe(world);
    if (auto seen = seen_.find(description); seen != seen_.end()) return seen->second;
    if (Notice(WhatIsWrong(world))) return 0;
    double schedules = 0;
    bool is_end = true;
    for (int action = 0; action < kActions && wrong_.empty(); ++action) {
      if (!IsPossible(world, action)) continue;
      is_end = false;
      World next(world);
      next.Connect();
      Do(next, action);
      trail_.emplace_back(kActionNames[action]);
      schedules += Explore(next);
      trail_.pop_back();
    }
    if (is_end && !Notice(WhatIsWrongInTheEnd(world))) schedules = 1;
    seen_.emplace(description, schedules);
    return schedules;
  }

  bool Notice(const std::string& wrong) {
    if (wrong.empty()) return false;
    wrong_ = wrong + " after:";
    for (const std::string& step : trail_) wrong_ += " " + step + ",";
    return true;
  }

  const Plan& plan_;
  std::map<std::string, double> seen_;
  std::vector<std::string> trail_;
  std::string wrong_;
  double schedules_ = 0;
};

using State = FakeBlobLedger::State;

TEST(BlobLedgerModelTest, WhatWasAcknowledgedIsThereInEveryOrder) {
  const Plan kPlans[] = {
      {},
      {.before = State::kStored},
      {.kills = 0, .before = State::kLost},
      {.kills = 0, .before = State::kLost, .came_back = true},
      {.kills = 0, .before = State::kLeaving},
      {.kills = 0, .rounds = 2, .before = State::kStored},
  };
  double schedules = 0;
  for (const Plan& plan : kPlans) {
    Explorer explorer(plan);
    explorer.Run();
    EXPECT_EQ(explorer.wrong(), "");
    EXPECT_GT(explorer.worlds(), 500u);
    schedules += explorer.schedules();
  }
  EXPECT_GT(schedules, 1e6);
  RecordProperty("schedules", std::to_string(schedules));
}

TEST(BlobLedgerModelTest, NobodyIsRefusedWithinTheGrace) {
  for (std::optional<State> before :
       {std::optional<State>(), std::optional(State::kStored), std::optional(State::kLost)}) {
    const Plan plan{.grace = seconds(60), .kills = 0, .before = before, .refusals_are_wrong = true};
    Explorer explorer(plan);
    explorer.Run();
    EXPECT_EQ(explorer.wrong(), "");
  }
}

// Without it nothing is lost, but publishers are refused that need not be.
TEST(BlobLedgerModelTest, TheModelSeesWhatTheGraceIsFor) {
  const Plan plan{.kills = 0, .before = State::kStored, .refusals_are_wrong = true};
  Explorer explorer(plan);
  explorer.Run();
  EXPECT_NE(explorer.wrong().find("a publisher was refused"), std::string::npos)
      << explorer.wrong();
}

TEST(BlobLedgerModelTest, TheModelSeesMistakes) {
  const struct {
    Mistake mistake;
    const char* wrong;
  } kCases[] = {
      {Mistake::kRecordWithoutRenewal, "acknowledged bytes have no object"},
      {Mistake::kReadThenRecord, "acknowledged bytes have no object"},
      {Mistake::kLookThenMark, "acknowledged bytes have no object"},
      {Mistake::kNameIsTheDigest, "acknowledged bytes are gone from the store"},
      {Mistake::kForgetThenDelete, "nobody knows of the object"},
  };
  for (const auto& each : kCases) {
    SCOPED_TRACE(static_cast<int>(each.mistake));
    const Plan plan{.mistake = each.mistake, .before = State::kStored};
    Explorer explorer(plan);
    explorer.Run();
    EXPECT_NE(explorer.wrong().find(each.wrong), std::string::npos) << explorer.wrong();
  }
}

}  // namespace
}  // namespace koya
