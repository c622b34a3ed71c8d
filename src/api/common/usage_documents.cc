#include "api/common/usage_documents.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "api/common/call.h"
#include "service/usage/callers.h"
#include "service/usage/usage_counter.h"

namespace koya::api {
namespace {

// A consumer without a name and without a label sends no token.
std::string RowName(const service::UsageLine& line) {
  for (const std::string* name : {&line.version, &line.client, &line.label, &line.principal}) {
    if (!name->empty()) return *name;
  }
  return "anonymous";
}

wire::UsedByConsumer UsedByConsumerOf(const service::Consumer& consumer) {
  wire::UsedByConsumer out{.name = consumer.label.empty() ? consumer.principal : consumer.label,
                           .principal = consumer.principal,
                           .label = consumer.label,
                           .versions = {},
                           .behind = consumer.behind};
  for (const service::Consumer::Fetched& each : consumer.versions) {
    out.versions.push_back({each.version, DayText(each.last_day)});
  }
  return out;
}

Task<void> AddDependents(Call& call, UsageKind kind, std::string address, wire::UsedBy& document) {
  ASSIGN_OR_CO_RETURN(service::CallerReport found,
                      co_await call.services.usage.callers.FindDependents(
                          call.Readable(), call.services.Names(), kind, std::move(address)));
  document.dependents_more = found.more;
  for (service::ModuleCaller& each : found.callers) {
    document.dependents.push_back({std::move(each.address), std::move(each.version),
                                   std::move(each.part), std::move(each.constraint)});
  }
  co_return Status();
}

}  // namespace

std::string DayText(UsageDay day) {
  constexpr std::size_t kDate = 10;
  return day == 0 ? "" : FormatRfc3339(day * kSecondsOfDay).substr(0, kDate);
}

Task<std::string> CountedSince(const Call& call) {
  ASSIGN_OR_CO_RETURN(const UsageDay day, co_await call.services.usage.reports.CountedSince());
  co_return DayText(day);
}

std::vector<wire::UsageRow> UsageRowsOf(const std::vector<service::UsageLine>& lines) {
  std::vector<wire::UsageRow> rows;
  for (const service::UsageLine& line : lines) {
    rows.push_back({.name = RowName(line),
                    .principal = line.principal,
                    .label = line.label,
                    .count = line.counts.fetches,
                    .archives = line.counts.archives,
                    .bots = line.bots,
                    .consumers = line.consumers,
                    .people = line.people,
                    .last_day = DayText(line.last_day)});
  }
  return rows;
}

std::vector<wire::UsageDayCount> UsageDaysOf(const std::vector<UsageDaySum>& sums) {
  std::vector<wire::UsageDayCount> days;
  for (const UsageDaySum& sum : sums) {
    if (sum.counts.fetches > 0) days.push_back({DayText(sum.day), sum.counts.fetches});
  }
  return days;
}

Task<wire::UsedBy> ReadUsedBy(Call& call, service::UsageQuestion question,
                              std::vector<Version> versions, PageRequest part) {
  service::Usage& reports = call.services.usage.reports;
  wire::UsedBy document{.address = question.address,
                        .since = DayText(reports.Since(question.days)),
                        .counted = call.services.usage.counter.on()};
  ASSIGN_OR_CO_RETURN(document.counted_since, co_await CountedSince(call));
  if (question.kind == UsageKind::kModule || question.kind == UsageKind::kProvider) {
    CO_RETURN_IF_ERROR(co_await AddDependents(call, question.kind, question.address, document));
  }
  ASSIGN_OR_CO_RETURN(
      service::UsedBy used,
      co_await reports.FindConsumers(call.principal, std::move(question), std::move(versions)));
  document.named = used.report.named;
  document.partial = used.report.partial;
  document.total = used.report.counts.fetches;
  document.archives = used.report.counts.archives;
  document.bots = used.report.bots;
  document.people = used.report.people;
  document.behind = static_cast<std::uint64_t>(std::ranges::count_if(
      used.consumers, [](const service::Consumer& each) { return each.behind > 0; }));
  document.versions = UsageRowsOf(used.report.lines);
  document.days = UsageDaysOf(used.report.days);
  document.meta = {part.limit, part.offset, used.consumers.size()};
  if (!document.named) co_return document;
  for (const service::Consumer& each :
       used.consumers |
           std::views::drop(std::min<std::uint64_t>(part.offset, used.consumers.size())) |
           std::views::take(part.limit)) {
    document.consumers.push_back(UsedByConsumerOf(each));
  }
  co_return document;
}

}  // namespace koya::api
