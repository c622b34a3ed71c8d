#include "service/spender_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "service/spender.h"

namespace koya::service {
namespace {

// Of the ones that asked longest ago, so many are looked at for one that can go.
constexpr int kLookedAt = 8;

// Whoever is being sent something has a meter, beside the table and the list.
bool IsBeingSent(const std::shared_ptr<Spender>& spender, long held_here) {
  return spender.use_count() > held_here + (spender->listed ? 1 : 0);
}

}  // namespace

const std::shared_ptr<Spender>& SpenderTable::Find(Shard& shard, std::string_view name) {
  if (auto found = shard.spenders.find(name); found != shard.spenders.end()) {
    shard.recency.splice(shard.recency.begin(), shard.recency, found->second);
    return *found->second;
  }
  if (shard.recency.size() >= shard_most_) MakeRoom(shard);
  auto spender = std::make_shared<Spender>();
  spender->name = name;
  shard.recency.push_front(std::move(spender));
  auto first = shard.recency.begin();
  shard.spenders.emplace((*first)->name, first);
  return *first;
}

void SpenderTable::MakeRoom(Shard& shard) {
  auto oldest = std::prev(shard.recency.end());
  auto gone = oldest;
  for (int looked = 1; looked < kLookedAt && IsBeingSent(*gone, 1); ++looked) {
    if (gone == shard.recency.begin()) break;
    --gone;
  }
  if (IsBeingSent(*gone, 1)) gone = oldest;
  shard.spenders.erase((*gone)->name);
  shard.recency.erase(gone);
}

void SpenderTable::List(const std::shared_ptr<Spender>& spender) {
  Shard& shard = ShardOf(spender->name);
  if (spender->listed || shard.listed.size() >= shard_most_) return;
  spender->listed = true;
  shard.listed.push_back(spender);
}

// One is held by the list, and one by the table unless it has forgotten them.
void SpenderTable::TakeFrom(Shard& shard, std::vector<Share>& shares, const Wanted& wanted) {
  std::lock_guard lock(shard.mutex);
  std::erase_if(shard.listed, [&](const std::shared_ptr<Spender>& spender) {
    if (shares.size() >= wanted.most || spender->round == wanted.round) return false;
    spender->bytes.Turn(wanted.day);
    const std::uint64_t bytes = spender->bytes.Take(wanted.least);
    if (bytes == 0 && wanted.with_bytes) return false;
    spender->round = wanted.round;
    spender->listed = IsBeingSent(spender, 1);
    shares.push_back({spender, bytes});
    return !spender->listed;
  });
}

std::vector<SpenderTable::Share> SpenderTable::TakeShares(std::size_t most, std::int64_t day,
                                                          std::uint64_t least) {
  std::vector<Share> shares;
  ++round_;
  for (bool with_bytes : {true, false}) {
    const Wanted wanted{most, day, least, round_, with_bytes};
    for (std::size_t i = 0; i < kShards; ++i) {
      TakeFrom(shards_[(round_ + i) % kShards], shares, wanted);
    }
  }
  return shares;
}

void SpenderTable::Learn(const Share& share, std::int64_t day, std::uint64_t sum) {
  std::lock_guard lock(ShardOf(share.spender->name).mutex);
  share.spender->bytes.Learn(day, sum);
}

void SpenderTable::PutBack(const Share& share) {
  std::lock_guard lock(ShardOf(share.spender->name).mutex);
  share.spender->bytes.PutBack(share.bytes);
  List(share.spender);
}

std::size_t SpenderTable::size() const {
  std::size_t sum = 0;
  for (const Shard& shard : shards_) {
    std::lock_guard lock(shard.mutex);
    sum += shard.recency.size();
  }
  return sum;
}

}  // namespace koya::service
