#include "api/modules/module_visit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/common/page_answer.h"
#include "api/common/page_form.h"
#include "api/common/provenance.h"
#include "api/common/repository_url.h"
#include "domain/topic.h"
#include "domain/usage_record.h"
#include "service/common/module_reading.h"
#include "service/modules/module_metadata.h"
#include "service/modules/modules.h"
#include "service/usage/usage.h"
#include "service/usage/usage_counter.h"
#include "service/usage/usage_report.h"

namespace koya::api {
namespace {

constexpr std::string_view kLatest = "latest";

std::string NewestOfMajor(const std::vector<ModuleVersionRecord>& versions,
                          const std::optional<Version>& wanted) {
  if (!wanted) return {};
  auto found = std::ranges::find_if(versions, [&wanted](const ModuleVersionRecord& each) {
    return each.version.major() == wanted->major() && !each.version.is_prerelease();
  });
  return found == versions.end() ? "" : found->version.ToString();
}

web::ModuleAbsence AbsenceOf(const ModulePageContext& visit, const ModuleAddress& address,
                             const std::optional<Version>& wanted) {
  web::ModuleAbsence absence{.address = address,
                             .version = wanted ? wanted->ToString() : "",
                             .withdrawal = std::nullopt,
                             .newest = "",
                             .newest_of_major = ""};
  for (const WithdrawnModuleVersion& each : visit.withdrawn) {
    // Of a module of which nothing is left, the newest that was.
    const bool meant = wanted ? each.version == *wanted : visit.versions.empty();
    if (!meant) continue;
    absence.version = each.version.ToString();
    absence.withdrawal = each.withdrawal;
    break;
  }
  if (visit.versions.empty()) return absence;
  absence.newest = service::Latest(visit.versions).version.ToString();
  absence.newest_of_major = NewestOfMajor(visit.versions, wanted);
  if (absence.newest_of_major == absence.newest) absence.newest_of_major.clear();
  return absence;
}

// The module's versions, those that were withdrawn too. Fails: kNotFound: it was never here.
Task<std::unique_ptr<ModulePageContext>> ReadVersions(Call& call, ModuleAddress address) {
  auto visit = std::make_unique<ModulePageContext>();
  service::Modules& modules = call.services.modules.published;
  Result<std::vector<ModuleVersionRecord>> versions = co_await modules.ListVersions(address);
  if (!versions && versions.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(versions).error());
  }
  ASSIGN_OR_CO_RETURN(visit->withdrawn, co_await modules.ListWithdrawn(address));
  if (!versions && visit->withdrawn.empty()) co_return Failure(std::move(versions).error());
  if (versions) visit->versions = *std::move(versions);
  co_return visit;
}

const ModuleVersionRecord* Chosen(const ModulePageContext& visit, std::string_view text,
                                  const std::optional<Version>& wanted) {
  if (visit.versions.empty()) return nullptr;
  if (text.empty() || text == kLatest) return &service::Latest(visit.versions);
  if (!wanted) return nullptr;
  auto found = std::ranges::find(visit.versions, *wanted, &ModuleVersionRecord::version);
  return found == visit.versions.end() ? nullptr : &*found;
}

Task<std::optional<std::uint64_t>> FetchesOf(Call& call, const ModuleAddress& address) {
  if (!call.services.usage.counter.on()) co_return std::optional<std::uint64_t>();
  const UsageItem item = UsageItem::OfAll(address);
  service::UsageQuestion question{.kind = item.kind, .address = item.address, .ns = item.ns};
  // The report contains no names, for any caller.
  Result<service::UsageReport> report = co_await call.services.usage.reports.Report(
      auth::Principal(), std::move(question), service::UsageBy::kVersion);
  if (!report) co_return std::optional<std::uint64_t>();
  co_return std::optional(report->counts.fetches);
}

}  // namespace

std::string VersionText(const Call& call) {
  return call.pattern.contains("{version}") ? std::string(call.path("version")) : std::string();
}

Task<ModuleLookUp> LookUpModule(Call& call, std::string text, Making making) {
  co_return co_await LookUpModule(call, call.path("system"), std::move(text), making);
}

Task<ModuleLookUp> LookUpModule(Call& call, std::string_view system, std::string text,
                                Making making) {
  Result<ModuleAddress> parsed_address =
      ModuleAddress::FromParts(call.path("namespace"), call.path("name"), system);
  if (!parsed_address) {
    co_return Fail(ErrorKind::kNotFound, std::move(parsed_address).error().message);
  }
  co_return co_await LookUpModule(call, *std::move(parsed_address), std::move(text), making);
}

Task<ModuleLookUp> LookUpModule(Call& call, ModuleAddress address, std::string text,
                                Making making) {
  std::optional<Version> wanted;
  if (!text.empty() && text != kLatest) {
    Result<Version> parsed = Version::ParseLookup(text);
    if (!parsed) co_return Fail(ErrorKind::kNotFound, std::move(parsed).error().message);
    wanted = *std::move(parsed);
  }
  ASSIGN_OR_CO_RETURN(std::unique_ptr<ModulePageContext> visit,
                      co_await ReadVersions(call, address));
  const ModuleVersionRecord* record = Chosen(*visit, text, wanted);
  ModuleLookUp found;
  if (record == nullptr) {
    found.absence = AbsenceOf(*visit, address, wanted);
    found.absence->may_restore = VersionRightsOf(call, address.ns()).may_withdraw;
    co_return found;
  }
  Result<service::SharedContents> contents = co_await call.services.modules.insides.FindContents(
      service::ArchiveOf(*record), call.reading, {.making = making});
  if (!contents && service::IsTurnedAway(contents.error())) {
    co_return Failure(std::move(contents).error());
  }
  if (contents) visit->contents = *std::move(contents);
  visit->page = {.host = std::string(call.services.host()),
                 .record = record,
                 .versions = visit->versions,
                 .withdrawn = visit->withdrawn,
                 .contents = visit->contents.get(),
                 .by_latest = !wanted,
                 .provenance = ProvenanceToWire(record->provenance)};
  visit->page.source = ShownSourceOf(SourceOf(*record), visit->page.provenance);
  visit->page.visibility = VisibilityBadge(call);
  visit->page.rights = VersionRightsOf(call, record->address.ns());
  visit->page.owners = co_await OwnersFor(call, record->address.ns());
  found.visit = std::move(visit);
  co_return found;
}

Task<http::Response> AnswerAbsence(PageAnswer& page, const web::ModuleAbsence& absence) {
  std::string html = web::RenderModuleAbsence(page.frame, absence);
  co_return co_await page.SendUnkept(std::move(html), absence.withdrawal ? 410 : 404);
}

Task<http::Response> AnswerModuleTab(Call& call, ModuleTabRenderer render, CachePolicy life) {
  constexpr std::chrono::minutes kCountsStand{1};
  PageAnswer page(call);
  ASSIGN_OR_CO_RETURN(ModuleLookUp found, co_await LookUpModule(call, VersionText(call)));
  if (found.absence) co_return co_await AnswerAbsence(page, *found.absence);
  ModulePageContext& visit = *found.visit;
  const ModuleVersionRecord& record = *visit.page.record;
  if (life == CachePolicy::kMinute) {
    ASSIGN_OR_CO_RETURN(visit.page.fetches, co_await FetchesOf(call, record.address));
  }
  // What search engines may show, at the address that it is asked for.
  if (call.visibility == Visibility::kPublic) page.frame.canonical = call.request().path;
  ASSIGN_OR_CO_RETURN(std::string html, co_await render(call, page, visit));
  // What could not be read now is there in a moment.
  if (life == CachePolicy::kUnkept || visit.contents == nullptr) {
    co_return co_await page.SendUnkept(std::move(html));
  }
  std::string topic = ModuleTopic(record.address);
  if (life == CachePolicy::kMinute) {
    co_return co_await page.Send(std::move(html), std::move(topic), kCountsStand);
  }
  co_return co_await page.Send(std::move(html), std::move(topic));
}

}  // namespace koya::api
