#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "api/common/call.h"
#include "api/common/mirror_urls.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "api/common/usage_documents.h"
#include "base/text.h"
#include "domain/module_address.h"
#include "domain/page.h"
#include "domain/provider_address.h"
#include "domain/upstream_record.h"
#include "domain/usage_record.h"
#include "domain/version.h"
#include "service/modules/modules.h"
#include "service/providers/providers.h"
#include "service/usage/callers.h"
#include "service/usage/usage.h"
#include "service/usage/usage_counter.h"
#include "service/usage/usage_report.h"
#include "wire/usage.h"

namespace koya::api {
namespace {

using service::Usage;
using service::UsageBy;

std::string_view KindText(UsageKind kind) {
  return kind == UsageKind::kModule ? "module" : "provider";
}

std::string SinceText(const Call& call, std::uint64_t days) {
  return DayText(call.services.usage.reports.Since(days));
}

// Of `days`. Fails: kInvalid.
Result<std::uint64_t> ReadDays(const http::Request& request, std::uint64_t fallback) {
  auto days = QueryNumber(request.query, "days", fallback);
  if (days && *days >= 1 && *days <= Usage::kMostDays) return days;
  return FailInvalid("the parameter \"days\" must be a whole number from 1 to {}",
                     Usage::kMostDays);
}

Result<UsageBy> ReadBy(const http::Request& request) {
  ASSIGN_OR_RETURN(std::optional<std::string> name, QueryParameter(request.query, "by"));
  if (!name) return UsageBy::kVersion;
  std::optional<UsageBy> by = service::ParseUsageBy(*name);
  if (by) return *by;
  return FailInvalid("the parameter \"by\" must be version, consumer or client, not \"{}\"",
                     Printable(*name, 40));
}

Result<std::string> ReadNamespace(const http::Request& request) {
  ASSIGN_OR_RETURN(std::optional<std::string> ns, QueryParameter(request.query, "namespace"));
  return ns.value_or("");
}

// A response that changes by the minute and depends on the caller.
http::Response ForCaller(http::Response reply, std::string vary) {
  std::erase_if(reply.fields, [](const auto& field) { return field.first == "Cache-Control"; });
  reply.fields.emplace_back("Cache-Control", "private, no-store");
  reply.fields.emplace_back("Vary", std::move(vary));
  return reply;
}

// CSV for clients that accept it, JSON for all others.
template <class Document>
http::Response Report(const Call& call, const Document& document,
                      std::string (*json)(const Document&), std::string (*csv)(const Document&)) {
  const bool as_csv = AsciiLower(call.request().Get("Accept")).contains("text/csv");
  http::Response reply = JsonReply(200, as_csv ? csv(document) : json(document));
  for (auto& [name, value] : reply.fields) {
    if (as_csv && name == "Content-Type") value = "text/csv; charset=utf-8; header=present";
  }
  return ForCaller(std::move(reply), "Accept, Authorization");
}

// The version is not asked about.
service::UsageQuestion QuestionOf(const UsageItem& item) {
  return {.kind = item.kind, .address = item.address, .ns = item.ns};
}

// What a path names, once it is known that it is there. Fails: kNotFound, as for the thing itself.
Task<service::UsageQuestion> ModuleQuestion(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  CO_RETURN_IF_ERROR(co_await call.services.modules.published.ListVersions(address));
  co_return QuestionOf(UsageItem::OfAll(address));
}

Task<service::UsageQuestion> ProviderQuestion(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  CO_RETURN_IF_ERROR(co_await call.services.providers.published.ListVersions(address));
  co_return QuestionOf(UsageItem::OfAll(address));
}

Task<http::Response> ReportOn(Call& call, service::UsageQuestion question) {
  ASSIGN_OR_CO_RETURN(question.days, ReadDays(call.request(), 30));
  ASSIGN_OR_CO_RETURN(UsageBy by, ReadBy(call.request()));
  wire::UsageReport document{.address = question.address,
                             .since = SinceText(call, question.days),
                             .by = std::string(service::UsageByName(by)),
                             .counted = call.services.usage.counter.on()};
  ASSIGN_OR_CO_RETURN(document.counted_since, co_await CountedSince(call));
  ASSIGN_OR_CO_RETURN(service::UsageReport report, co_await call.services.usage.reports.Report(
                                                       call.principal, std::move(question), by));
  document.named = report.named;
  document.partial = report.partial;
  document.total = report.counts.fetches;
  document.archives = report.counts.archives;
  document.bots = report.bots;
  document.consumers = report.consumers;
  document.people = report.people;
  document.rows = UsageRowsOf(report.lines);
  document.days = UsageDaysOf(report.days);
  co_return Report(call, document, wire::Encode<wire::UsageReport>, wire::UsageReportCsv);
}

std::vector<wire::CallingModule> WireOf(std::vector<service::ModuleCaller> callers) {
  std::vector<wire::CallingModule> out;
  out.reserve(callers.size());
  for (service::ModuleCaller& each : callers) {
    out.push_back({std::move(each.address), std::move(each.version), std::move(each.part),
                   std::move(each.constraint), std::move(each.instead)});
  }
  return out;
}

Task<http::Response> ImpactOn(Call& call, service::UsageQuestion question, Version version,
                              service::CallerReport callers) {
  ASSIGN_OR_CO_RETURN(question.days, ReadDays(call.request(), 90));
  wire::UsageImpact document{.address = question.address,
                             .version = version.ToString(),
                             .since = SinceText(call, question.days),
                             .counted = call.services.usage.counter.on()};
  ASSIGN_OR_CO_RETURN(document.counted_since, co_await CountedSince(call));
  ASSIGN_OR_CO_RETURN(service::UsageImpact impact,
                      co_await call.services.usage.reports.Impact(
                          call.principal, std::move(question), version.ToString()));
  document.named = impact.report.named;
  document.partial = impact.report.partial;
  document.total = impact.report.counts.fetches;
  document.all = impact.all_fetches;
  document.bots = impact.report.bots;
  document.consumers = impact.report.consumers;
  document.people = impact.report.people;
  document.rows = UsageRowsOf(impact.report.lines);
  document.callers = WireOf(std::move(callers.callers));
  document.callers_more = callers.more;
  document.unknown = callers.unknown;
  document.unknown_more = callers.unknown_more;
  co_return Report(call, document, wire::Encode<wire::UsageImpact>, wire::UsageImpactCsv);
}

Task<http::Response> GetModuleUsage(Call& call) {
  ASSIGN_OR_CO_RETURN(service::UsageQuestion question, co_await ModuleQuestion(call));
  co_return co_await ReportOn(call, std::move(question));
}

Task<http::Response> GetProviderUsage(Call& call) {
  ASSIGN_OR_CO_RETURN(service::UsageQuestion question, co_await ProviderQuestion(call));
  co_return co_await ReportOn(call, std::move(question));
}

// For packages of other registries. A package that was never fetched, or does not exist, has no
// fetches.
Task<http::Response> GetMirroredModuleUsage(Call& call) {
  ASSIGN_OR_CO_RETURN(UpstreamModule module, MirroredModuleFromPath(call));
  co_return co_await ReportOn(call, QuestionOf(UsageItem::OfAll(module)));
}

Task<http::Response> GetMirroredProviderUsage(Call& call) {
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderFromPath(call));
  co_return co_await ReportOn(call, QuestionOf(UsageItem::OfAll(provider)));
}

// Who would miss a version.
Task<http::Response> GetModuleImpact(Call& call) {
  ASSIGN_OR_CO_RETURN(service::UsageQuestion question, co_await ModuleQuestion(call));
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(service::CallerReport callers,
                      co_await call.services.usage.callers.OfModule(
                          call.Readable(), call.services.Names(), std::move(address), version));
  co_return co_await ImpactOn(call, std::move(question), std::move(version), std::move(callers));
}

Task<http::Response> GetProviderImpact(Call& call) {
  ASSIGN_OR_CO_RETURN(service::UsageQuestion question, co_await ProviderQuestion(call));
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(service::CallerReport callers,
                      co_await call.services.usage.callers.OfProvider(
                          call.Readable(), call.services.Names(), std::move(address), version));
  co_return co_await ImpactOn(call, std::move(question), std::move(version), std::move(callers));
}

http::Response ReplyOfCallers(service::CallerReport report) {
  wire::Impact document{
      .callers_more = report.more, .unknown = report.unknown, .unknown_more = report.unknown_more};
  for (service::ModuleCaller& each : report.callers) {
    document.callers.push_back({std::move(each.address), std::move(each.version),
                                std::move(each.part), std::move(each.constraint)});
  }
  return ForCaller(JsonReply(200, wire::Encode(document)), "Authorization");
}

Task<http::Response> ListModuleCallers(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  CO_RETURN_IF_ERROR(co_await call.services.modules.published.ListVersions(address));
  ASSIGN_OR_CO_RETURN(service::CallerReport report, co_await call.services.usage.callers.OfModule(
                                                        call.Readable(), call.services.Names(),
                                                        std::move(address), std::nullopt));
  co_return ReplyOfCallers(std::move(report));
}

Task<http::Response> ListProviderCallers(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  CO_RETURN_IF_ERROR(co_await call.services.providers.published.ListVersions(address));
  ASSIGN_OR_CO_RETURN(service::CallerReport report, co_await call.services.usage.callers.OfProvider(
                                                        call.Readable(), call.services.Names(),
                                                        std::move(address), std::nullopt));
  co_return ReplyOfCallers(std::move(report));
}

Task<http::Response> UsedByOf(Call& call, UsageItem item, std::vector<Version> versions) {
  service::UsageQuestion question = QuestionOf(item);
  ASSIGN_OR_CO_RETURN(question.days, ReadDays(call.request(), 30));
  PageRequest part;
  ASSIGN_OR_CO_RETURN(part.offset, QueryNumber(call.request().query, "offset", 0));
  ASSIGN_OR_CO_RETURN(const std::uint64_t limit, QueryNumber(call.request().query, "limit", 100));
  part.limit = std::clamp<std::uint64_t>(limit, 1, Usage::kMostThings);
  ASSIGN_OR_CO_RETURN(wire::UsedBy document,
                      co_await ReadUsedBy(call, std::move(question), std::move(versions), part));
  co_return ForCaller(JsonReply(200, wire::Encode(document)), "Authorization");
}

Task<http::Response> GetModuleUsedBy(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> versions,
                      co_await call.services.modules.published.ListVersions(address));
  co_return co_await UsedByOf(call, UsageItem::OfAll(address), VersionsIn(versions));
}

Task<http::Response> GetProviderUsedBy(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(std::vector<ReleaseSummary> versions,
                      co_await call.services.providers.published.ListVersions(address));
  co_return co_await UsedByOf(call, UsageItem::OfAll(address), VersionsIn(versions));
}

Task<http::Response> GetUsageLag(Call& call) {
  ASSIGN_OR_CO_RETURN(std::uint64_t days, ReadDays(call.request(), 30));
  ASSIGN_OR_CO_RETURN(std::string ns, ReadNamespace(call.request()));
  ASSIGN_OR_CO_RETURN(service::LagReport report,
                      co_await call.services.usage.reports.Lag(call.principal, ns, days));
  wire::UsageLag document{.ns = ns,
                          .days = days,
                          .counted = call.services.usage.counter.on(),
                          .partial = report.partial,
                          .behind_median = report.behind.median,
                          .behind_p90 = report.behind.p90,
                          .days_median = report.days.median,
                          .days_p90 = report.days.p90};
  ASSIGN_OR_CO_RETURN(document.counted_since, co_await CountedSince(call));
  for (const service::LagLine& line : report.lines) {
    document.rows.push_back({line.principal, line.label, std::string(KindText(line.kind)),
                             line.address, line.version, line.latest, line.behind, line.days});
  }
  co_return Report(call, document, wire::Encode<wire::UsageLag>, wire::UsageLagCsv);
}

Task<http::Response> ListUnused(Call& call) {
  const http::Request& request = call.request();
  ASSIGN_OR_CO_RETURN(std::uint64_t days, ReadDays(request, 180));
  ASSIGN_OR_CO_RETURN(std::string ns, ReadNamespace(request));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> kind, QueryParameter(request.query, "kind"));
  ASSIGN_OR_CO_RETURN(std::uint64_t offset, QueryNumber(request.query, "offset", 0));
  const std::string kind_name = kind.value_or("modules");
  if (kind_name != "modules" && kind_name != "providers") {
    co_return FailInvalid("the parameter \"kind\" must be modules or providers");
  }
  const UsageKind of = kind_name == "modules" ? UsageKind::kModule : UsageKind::kProvider;
  ASSIGN_OR_CO_RETURN(
      Page<service::UnusedThing> page,
      co_await call.services.usage.reports.Unused(call.principal, of, std::move(ns), days, offset));
  wire::UnusedPage document{.days = days, .counted = call.services.usage.counter.on()};
  ASSIGN_OR_CO_RETURN(document.counted_since, co_await CountedSince(call));
  for (const service::UnusedThing& thing : page.items) {
    document.rows.push_back({thing.address, thing.latest, FormatRfc3339(thing.published_at),
                             thing.versions, DayText(thing.last_day)});
  }
  if (page.more) document.next = std::to_string(offset + Usage::kMostThings);
  co_return Report(call, document, wire::Encode<wire::UnusedPage>, wire::UnusedPageCsv);
}

Task<http::Response> ForgetUsage(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(auto [principal], wire::Decode<wire::ForgetRequest>(body));
  ASSIGN_OR_CO_RETURN(std::uint64_t rows, co_await call.services.usage.reports.ForgetPrincipal(
                                              call.principal, principal));
  co_return JsonReply(200, wire::Encode<wire::ForgottenUsage>({principal, rows}));
}

}  // namespace

// Who fetches what. As JSON, or as CSV for Accept: text/csv. Names are for a namespace's owners and
// administrators.
std::span<const Route> UsageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kGetModuleUsage, Access::kRead, ResourceScope::kNamespace, GetModuleUsage,
                 "Get the usage of a module"),
      Route::For(wire::kGetProviderUsage, Access::kRead, ResourceScope::kNamespace,
                 GetProviderUsage, "Get the usage of a provider"),
      Route::For(wire::kGetMirroredModuleUsage, Access::kRead, ResourceScope::kMirror,
                 GetMirroredModuleUsage, "Get the usage of an upstream module"),
      Route::For(wire::kGetMirroredProviderUsage, Access::kRead, ResourceScope::kMirror,
                 GetMirroredProviderUsage, "Get the usage of an upstream provider"),
      Route::For(wire::kGetModuleUsedBy, Access::kRead, ResourceScope::kNamespace, GetModuleUsedBy,
                 "List the consumers and dependents of a module"),
      Route::For(wire::kGetProviderUsedBy, Access::kRead, ResourceScope::kNamespace,
                 GetProviderUsedBy, "List the consumers and dependents of a provider"),
      Route::For(wire::kListModuleCallers, Access::kRead, ResourceScope::kNamespace,
                 ListModuleCallers, "List the modules that call a module"),
      Route::For(wire::kListProviderCallers, Access::kRead, ResourceScope::kNamespace,
                 ListProviderCallers, "List the modules that require a provider"),
      Route::For(wire::kGetModuleImpact, Access::kRead, ResourceScope::kNamespace, GetModuleImpact,
                 "List the consumers of a module version"),
      Route::For(wire::kGetProviderImpact, Access::kRead, ResourceScope::kNamespace,
                 GetProviderImpact, "List the consumers of a provider version"),
      Route::For(wire::kGetUsageLag, Access::kNamespaceAdmin, ResourceScope::kNone, GetUsageLag,
                 "Report how far behind the consumers of a namespace are"),
      Route::For(wire::kListUnused, Access::kNamespaceAdmin, ResourceScope::kNone, ListUnused,
                 "List modules or providers without recent fetches"),
      Route::For(wire::kForgetUsage, Access::kAdmin, BodyLimit::kSmall, ForgetUsage,
                 "Anonymize an account's fetches"),
  };
  return kRoutes;
}

}  // namespace koya::api
