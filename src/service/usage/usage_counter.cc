#include "service/usage/usage_counter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>

#include "auth/principal.h"
#include "auth/token.h"
#include "base/encoding.h"
#include "base/sha256.h"
#include "catalog/usage_catalog.h"
#include "domain/account_record.h"
#include "domain/usage_agent.h"
#include "obs/log.h"
#include "service/common/job_runs.h"
#include "service/common/leases.h"

namespace koya::service {
namespace {

// A longer user agent does not distinguish keys any further.
constexpr std::size_t kMostAgent = UsageAgent::kMostText;

std::uint64_t NextSerial() {
  static std::atomic<std::uint64_t> next = 1;
  return next.fetch_add(1, std::memory_order_relaxed);
}

std::size_t Mix(std::size_t seed, std::size_t more) {
  return seed ^ (more + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

std::uint64_t SumOf(const UsageBatch& batch) {
  std::uint64_t sum = 0;
  for (const UsageRow& row : batch.rows) sum += row.counts.fetches + row.counts.archives;
  return sum;
}

}  // namespace

std::string UsageMarkOf(std::string_view person) {
  constexpr std::size_t kBytes = 8;
  const Sha256Bytes digest = Sha256("koya usage: " + std::string(person));
  return std::string(kPerson) + HexEncode(std::span(digest).first(kBytes));
}

std::string UsageNameOf(const auth::Principal& who, bool names_people) {
  if (who.is_anonymous()) return "";
  if (!who.account) {
    std::string token = "token:" + who.name;
    return names_people ? token : UsageMarkOf(token);
  }
  const AccountRecord& account = who.account->account;
  const bool person = account.kind == AccountKind::kUser;
  if (person && !names_people) return UsageMarkOf(account.id);
  return std::string(AccountKindName(account.kind)) + ":" + account.name;
}

// Items and principals are compared by address: the entry keeps them alive.
struct UsageCounter::Key {
  UsageDay day = 0;
  const UsageItem* item = nullptr;
  const auth::Principal* who = nullptr;
  What what = What::kDocument;
  std::string_view agent;

  friend bool operator==(const Key&, const Key&) = default;

  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::size_t hash = std::hash<std::string_view>{}(key.agent);
      hash = Mix(hash, std::hash<const void*>{}(key.item));
      hash = Mix(hash, std::hash<const void*>{}(key.who));
      return Mix(hash,
                 static_cast<std::size_t>(key.day * 2) + (key.what == What::kArchive ? 1 : 0));
    }
  };
};

struct UsageCounter::Entry {
  UsageDay day = 0;
  Item item;
  Presenter who;
  What what = What::kDocument;
  std::unique_ptr<std::string> agent;  // what the key views; it does not move
  Tally tally;
};

// Its thread takes the half that is free: Write() holds one at a time.
struct UsageCounter::Half {
  using Map = std::unordered_map<Key, Entry, Key::Hash>;
  std::mutex mutex;
  Map map;
};
struct UsageCounter::Slot {
  std::array<Half, 2> halves;
};

UsageCounter::UsageCounter(UsageCatalog& catalog, Logger& log, const Clock& clock, UsageRules rules)
    : catalog_(catalog),
      log_(log),
      clock_(clock),
      rules_(rules),
      serial_(NextSerial()),
      other_(std::make_shared<const UsageItem>()) {}

UsageCounter::~UsageCounter() = default;

UsageCounter::Slot& UsageCounter::SlotOfThread() {
  struct Mine {
    std::uint64_t serial = 0;
    Slot* slot = nullptr;
  };
  constinit thread_local Mine mine;
  if (mine.serial != serial_) {
    std::lock_guard lock(slots_mutex_);
    slots_.push_back(std::make_unique<Slot>());
    mine = {serial_, slots_.back().get()};
  }
  return *mine.slot;
}

UsageCounter::Tally UsageCounter::Count(const Fetch& fetch) {
  if (!rules_.enabled) return nullptr;
  const Key key{clock_.Now() / kSecondsOfDay, fetch.item.get(), fetch.who.get(), fetch.what,
                fetch.user_agent.substr(0, kMostAgent)};
  Slot& slot = SlotOfThread();
  for (std::size_t i = 0;; i = 1 - i) {
    Half& half = slot.halves[i];
    std::unique_lock lock(half.mutex, std::try_to_lock);
    if (!lock) continue;
    auto known = half.map.find(key);
    return known != half.map.end() ? known->second.tally : Enter(half, key, fetch);
  }
}

// REQUIRES: the half's lock is held.
UsageCounter::Tally UsageCounter::Enter(Half& half, const Key& key, const Fetch& fetch) {
  Entry entry{key.day, fetch.item, fetch.who, key.what, std::make_unique<std::string>(key.agent),
              nullptr};
  const std::size_t keys = keys_.load(std::memory_order_relaxed);
  if (keys >= kMostKeys) {
    entry.who = nullptr;
    entry.agent->clear();
    if (keys >= 2 * kMostKeys) entry.item = other_;
    folded_.fetch_add(1, std::memory_order_relaxed);
  }
  const Key kept{entry.day, entry.item.get(), entry.who.get(), entry.what, *entry.agent};
  auto [place, is_new] = half.map.try_emplace(kept, std::move(entry));
  if (is_new) {
    place->second.tally = std::make_shared<std::atomic<std::uint64_t>>(0);
    keys_.fetch_add(1, std::memory_order_relaxed);
  }
  return place->second.tally;
}

void UsageCounter::Gather() {
  std::vector<Slot*> slots;
  {
    std::lock_guard lock(slots_mutex_);
    for (const auto& slot : slots_) slots.push_back(slot.get());
  }
  std::vector<Entry> entries = std::exchange(sending_, {});
  for (Slot* slot : slots) {
    for (Half& half : slot->halves) {
      Half::Map taken;
      {
        std::lock_guard lock(half.mutex);
        taken.swap(half.map);
      }
      for (auto& [key, entry] : taken) entries.push_back(std::move(entry));
    }
  }
  keys_ = 0;
  for (Entry& entry : entries) {
    // No new request can get this counter; those that have it may still add to it.
    const bool sending = entry.tally.use_count() > 1;
    std::atomic_thread_fence(std::memory_order_acquire);
    GatherEntry(entry);
    if (sending) sending_.push_back(std::move(entry));
  }
}

void UsageCounter::GatherEntry(const Entry& entry) {
  const std::uint64_t count = entry.tally->exchange(0, std::memory_order_acq_rel);
  if (count == 0) return;
  counted_.fetch_add(count, std::memory_order_relaxed);
  UsageAgent agent = UsageAgent::Read(*entry.agent);
  UsageConsumer by{.principal = entry.who ? UsageNameOf(*entry.who, rules_.names_people) : "",
                   .label = "",
                   .client = agent.client};
  by.label = LabelFor(entry.day, by.principal, std::move(agent.label));
  UsageCounts& sum = sums_[{entry.day, {*entry.item, std::move(by)}}];
  (entry.what == What::kDocument ? sum.fetches : sum.archives) += count;
}

std::string UsageCounter::LabelFor(UsageDay day, const std::string& principal, std::string label) {
  if (label.empty()) return label;
  std::set<std::string>& known = labels_[{day, principal}];
  const std::size_t most = principal.empty() ? kMostAnonymous : kMostLabels;
  if (known.contains(label)) return label;
  if (known.size() >= most) return std::string(kOtherLabel);
  known.insert(label);
  return label;
}

void UsageCounter::MakeBatches() {
  const UsageDay today = clock_.Now() / kSecondsOfDay;
  // Answers of yesterday may still be sent.
  std::erase_if(labels_, [today](const auto& entry) { return entry.first.first < today - 1; });
  // One that waits may have been taken: nothing is added to it.
  std::size_t room = 0;
  for (const auto& [place, counts] : std::exchange(sums_, {})) {
    if (room == 0) {
      batches_.push_back({.id = auth::RandomId(), .rows = {}});
      room = UsageBatch::kMostRows;
    }
    batches_.back().rows.push_back({place.first, place.second.first, place.second.second, counts});
    --room;
  }
  for (; batches_.size() > kMostBatches; batches_.pop_front()) {
    dropped_.fetch_add(SumOf(batches_.front()), std::memory_order_relaxed);
  }
}

Task<void> UsageCounter::WriteBatches() {
  while (!batches_.empty()) {
    Result<bool> taken = co_await catalog_.AddUsage(batches_.front());
    if (!taken && taken.error().kind != ErrorKind::kInvalid) {
      co_return Failure(std::move(taken).error());
    }
    if (!taken) {
      // It would never be taken.
      dropped_.fetch_add(SumOf(batches_.front()), std::memory_order_relaxed);
      log_.Failure("a minute's fetches are not counted", taken.error());
    }
    batches_.pop_front();
  }
  co_return Status();
}

Awaitable<void> UsageCounter::Write() {
  if (!rules_.enabled) co_return;
  Gather();
  MakeBatches();
  Status written = co_await WriteBatches();
  std::uint64_t rows = 0;
  for (const UsageBatch& batch : batches_) rows += batch.rows.size();
  waiting_ = rows;
  if (!written && !told_) {
    log_.Failure("fetches cannot be saved; retrying every minute", written.error());
  }
  told_ = !written;
}

UsageNumbers UsageCounter::Numbers() const {
  return {.counted = counted_, .folded = folded_, .dropped = dropped_, .waiting = waiting_};
}

namespace {

// In one go: a server that was away for long has days enough for some hours.
constexpr std::size_t kMostDays = 100;

UsageDay DayBefore(UnixSeconds now, std::chrono::seconds age) {
  return (now - age.count()) / kSecondsOfDay;
}

}  // namespace

Task<void> UsageUpkeep::TidyAll(UnixSeconds now) {
  ASSIGN_OR_CO_RETURN(bool ours, co_await leases_.TakeLease(kLease));
  if (!ours) co_return Status();  // another server is at it
  bool more = true;
  for (std::size_t days = 0; more && days < kMostDays && leases_.Holds(kLease); ++days) {
    ASSIGN_OR_CO_RETURN(more, co_await kept_.usage.FoldUsageDay(DayBefore(now, retention_.detail)));
  }
  const UsageDay oldest = MonthOf(DayBefore(now, retention_.totals));
  CO_RETURN_IF_ERROR(co_await kept_.usage.RemoveUsageBefore(oldest));
  CO_RETURN_IF_ERROR(co_await kept_.mirror.RemoveMirrorCountsBefore(oldest));
  co_return co_await leases_.GiveBack(kLease);
}

Awaitable<void> UsageUpkeep::Tidy(UnixSeconds now) {
  const RunTimer timer;
  Status tidied = co_await TidyAll(now);
  NoteRun(runs_, kLease, tidied, {}, {.took = timer.Took()});
  if (tidied) co_return;
  log_.Failure("old usage statistics could not be removed; retrying", tidied.error());
}

}  // namespace koya::service
