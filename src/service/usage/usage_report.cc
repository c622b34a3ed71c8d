#include "service/usage/usage_report.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <tuple>

namespace koya::service {
namespace {

constexpr std::string_view kPeople = "people";

bool IsPerson(std::string_view principal) {
  return principal.starts_with(kPerson) || principal.starts_with("user:") ||
         principal.starts_with("token:");
}

// Principal and label to show; principals without a name are combined.
std::pair<std::string, std::string> Shown(const UsageConsumer& by) {
  if (!by.principal.starts_with(kPerson)) return {by.principal, by.label};
  return {by.label.empty() ? std::string(kPeople) : "", by.label};
}

// Key that distinguishes consumers; "": not a consumer.
std::string ConsumerKey(const UsageConsumer& by) {
  if (!by.label.empty()) return "label " + by.label;
  return IsPerson(by.principal) ? std::string() : by.principal;
}

// Who is counted, while sums are added up.
struct Tallied {
  UsageLine line;
  std::set<std::string> consumers;
  std::set<std::string> people;

  void Add(const UsageSum& sum, bool bots_apart) {
    line.last_day = std::max(line.last_day, sum.last_day);
    if (bots_apart && sum.by.client.is_bot()) {
      line.bots += sum.counts.fetches;
      return;
    }
    line.counts.fetches += sum.counts.fetches;
    line.counts.archives += sum.counts.archives;
    // Archives do not make a consumer: clients fetch them without a token and under another name.
    if (sum.by.client.is_bot() || sum.counts.fetches == 0) return;
    if (IsPerson(sum.by.principal)) people.insert(sum.by.principal);
    if (std::string key = ConsumerKey(sum.by); !key.empty()) consumers.insert(std::move(key));
  }
  UsageLine Finish() {
    line.consumers = consumers.size();
    line.people = people.size();
    return std::move(line);
  }
};

using LineKey = std::array<std::string, 2>;

LineKey KeyOf(const UsageSum& sum, UsageBy by) {
  switch (by) {
    case UsageBy::kVersion:
      return {sum.item.version, ""};
    case UsageBy::kClient:
      return {sum.by.client.ToString(), ""};
    case UsageBy::kConsumer:
      break;
  }
  auto [principal, label] = Shown(sum.by);
  return {std::move(principal), std::move(label)};
}

void NameLine(const LineKey& key, UsageBy by, UsageLine& line) {
  switch (by) {
    case UsageBy::kVersion:
      line.version = key[0];
      return;
    case UsageBy::kClient:
      line.client = key[0];
      return;
    case UsageBy::kConsumer:
      line.principal = key[0];
      line.label = key[1];
      return;
  }
}

bool NewerFirst(const UsageLine& a, const UsageLine& b) {
  auto left = Version::Parse(a.version);
  auto right = Version::Parse(b.version);
  if (!left || !right) return a.version > b.version;
  return *left > *right;
}

bool MoreFirst(const UsageLine& a, const UsageLine& b) {
  auto place = [](const UsageLine& line) {
    return std::tie(line.client, line.label, line.principal);
  };
  if (a.counts.fetches != b.counts.fetches) return a.counts.fetches > b.counts.fetches;
  return place(a) < place(b);
}

std::vector<UsageLine> Lines(const std::vector<UsageSum>& sums, UsageBy by) {
  std::map<LineKey, Tallied> tallied;
  for (const UsageSum& sum : sums) {
    if (by == UsageBy::kConsumer && sum.by.client.is_bot()) continue;
    tallied[KeyOf(sum, by)].Add(sum, by != UsageBy::kClient);
  }
  std::vector<UsageLine> lines;
  for (auto& [key, each] : tallied) {
    if (by != UsageBy::kVersion && each.line.counts.fetches == 0) continue;
    NameLine(key, by, each.line);
    lines.push_back(each.Finish());
  }
  std::ranges::sort(lines, by == UsageBy::kVersion ? NewerFirst : MoreFirst);
  return lines;
}

// The nearest that is not below the share.
std::uint64_t Percentile(std::vector<std::uint64_t>& sorted, unsigned percent) {
  if (sorted.empty()) return 0;
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

Percentiles SpreadOf(const std::vector<LagLine>& lines, std::uint64_t LagLine::* member) {
  std::vector<std::uint64_t> values;
  for (const LagLine& line : lines) values.push_back(line.*member);
  std::ranges::sort(values);
  return {.median = Percentile(values, 50), .p90 = Percentile(values, 90)};
}

// Principal and label of the consumer that fetched; nullopt: none that is known.
std::optional<std::pair<std::string, std::string>> KnownConsumer(const UsageSum& sum) {
  if (sum.by.client.is_bot() || sum.counts.fetches == 0) return std::nullopt;
  std::pair<std::string, std::string> shown = Shown(sum.by);
  // What one of several people lacks, another may have.
  const bool is_unnamed = shown.first.empty() || shown.first == kPeople;
  if (is_unnamed && shown.second.empty()) return std::nullopt;
  return shown;
}

bool FurtherFirst(const LagLine& a, const LagLine& b) {
  auto place = [](const LagLine& line) {
    return std::tie(line.principal, line.label, line.kind, line.address);
  };
  if (a.behind != b.behind) return a.behind > b.behind;
  return place(a) < place(b);
}

// `versions` as there are; `has` is what the consumer's newest is.
void Measure(const std::vector<DatedVersion>& versions, const Version& has, UnixSeconds now,
             LagLine& line) {
  const DatedVersion* latest = nullptr;
  std::optional<UnixSeconds> first_lacked;
  for (const DatedVersion& each : versions) {
    if (each.version.is_prerelease()) continue;
    if (latest == nullptr || each.version > latest->version) latest = &each;
    if (each.version <= has) continue;
    ++line.behind;
    first_lacked = std::min(first_lacked.value_or(each.published_at), each.published_at);
  }
  line.latest = latest == nullptr ? line.version : latest->version.ToString();
  if (first_lacked && *first_lacked < now) {
    line.days = static_cast<std::uint64_t>((now - *first_lacked) / kSecondsOfDay);
  }
}

}  // namespace

std::optional<UsageBy> ParseUsageBy(std::string_view name) {
  for (UsageBy by : {UsageBy::kVersion, UsageBy::kConsumer, UsageBy::kClient}) {
    if (name == UsageByName(by)) return by;
  }
  return std::nullopt;
}

std::string_view UsageByName(UsageBy by) {
  switch (by) {
    case UsageBy::kVersion:
      return "version";
    case UsageBy::kConsumer:
      return "consumer";
    case UsageBy::kClient:
      return "client";
  }
  return "version";
}

UsageReport ReportUsage(const std::vector<UsageSum>& sums, UsageBy by, bool named) {
  Tallied all;
  for (const UsageSum& sum : sums) all.Add(sum, true);
  const UsageLine total = all.Finish();
  UsageReport report{.counts = total.counts,
                     .bots = total.bots,
                     .consumers = total.consumers,
                     .people = total.people,
                     .named = named,
                     .partial = sums.size() >= UsageFilter::kMostSums,
                     .lines = {},
                     .days = {}};
  if (named || by != UsageBy::kConsumer) report.lines = Lines(sums, by);
  return report;
}

UsageImpact ReportImpact(const std::vector<UsageSum>& sums, const std::string& version,
                         bool named) {
  UsageImpact impact;
  std::vector<UsageSum> of_version;
  for (const UsageSum& sum : sums) {
    if (!sum.by.client.is_bot()) impact.all_fetches += sum.counts.fetches;
    if (sum.item.version == version) of_version.push_back(sum);
  }
  impact.report = ReportUsage(of_version, UsageBy::kConsumer, named);
  impact.report.partial = sums.size() >= UsageFilter::kMostSums;
  return impact;
}

std::vector<Consumer> ReportConsumers(const std::vector<UsageSum>& sums,
                                      const std::vector<Version>& versions) {
  std::map<std::string, std::optional<Version>> parsed;  // many sums are of few versions
  std::map<std::pair<std::string, std::string>, std::map<Version, UsageDay, std::greater<>>> known;
  for (const UsageSum& sum : sums) {
    auto name = KnownConsumer(sum);
    if (!name) continue;
    auto [version, first] = parsed.try_emplace(sum.item.version);
    if (first) {
      if (auto read = Version::Parse(sum.item.version)) version->second = *std::move(read);
    }
    if (!version->second) continue;
    UsageDay& last = known[*std::move(name)][*version->second];
    last = std::max(last, sum.last_day);
  }
  std::vector<Version> releases;
  std::ranges::copy_if(versions, std::back_inserter(releases),
                       [](const Version& each) { return !each.is_prerelease(); });
  std::ranges::sort(releases);
  std::vector<Consumer> consumers;
  for (const auto& [name, fetched] : known) {
    const auto above = std::ranges::upper_bound(releases, fetched.begin()->first);
    Consumer& consumer = consumers.emplace_back(
        Consumer{.principal = name.first,
                 .label = name.second,
                 .versions = {},
                 .behind = static_cast<std::uint64_t>(releases.end() - above)});
    for (const auto& [version, day] : fetched) {
      consumer.versions.push_back({version.ToString(), day});
    }
  }
  std::ranges::sort(consumers, [](const Consumer& a, const Consumer& b) {
    return std::tie(b.behind, a.principal, a.label) < std::tie(a.behind, b.principal, b.label);
  });
  return consumers;
}

LagReport ReportLag(const std::vector<UsageSum>& sums, const Releases& releases, UnixSeconds now) {
  using Key = std::tuple<std::string, std::string, UsageKind, std::string>;
  std::map<Key, Version> newest;
  LagReport report{.partial = sums.size() >= UsageFilter::kMostSums};
  for (const UsageSum& sum : sums) {
    auto version = Version::Parse(sum.item.version);
    auto name = KnownConsumer(sum);
    if (!version || !name) continue;
    Key key{std::move(name->first), std::move(name->second), sum.item.kind, sum.item.address};
    auto [entry, first] = newest.try_emplace(std::move(key), *version);
    if (!first && *version > entry->second) entry->second = *version;
  }
  for (const auto& [key, version] : newest) {
    const auto& [principal, label, kind, address] = key;
    auto versions = releases.find({kind, address});
    if (versions == releases.end()) continue;
    LagLine line{.principal = principal,
                 .label = label,
                 .kind = kind,
                 .address = address,
                 .version = version.ToString(),
                 .latest = ""};
    Measure(versions->second, version, now, line);
    report.lines.push_back(std::move(line));
  }
  report.behind = SpreadOf(report.lines, &LagLine::behind);
  report.days = SpreadOf(report.lines, &LagLine::days);
  std::ranges::sort(report.lines, FurtherFirst);
  return report;
}

}  // namespace koya::service
