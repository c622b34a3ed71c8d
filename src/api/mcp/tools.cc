#include "api/mcp/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "api/admission.h"
#include "api/common/call.h"
#include "api/mirror/explained.h"
#include "api/modules/module_visit.h"
#include "base/text.h"
#include "domain/host_name.h"
#include "domain/module_record.h"
#include "domain/provider_docs_record.h"
#include "domain/provider_record.h"
#include "domain/search_record.h"
#include "service/modules/modules.h"
#include "service/providers/docs_pages.h"
#include "service/providers/provider_docs.h"
#include "service/providers/providers.h"
#include "service/search/search.h"
#include "service/usage/callers.h"
#include "web/modules/module_pages.h"

namespace koya::api {
namespace {

// ---- addresses and versions

using OwnAddress = std::variant<ModuleAddress, ProviderAddress>;

// The address without this server's name. Fails: kInvalid: it has the name of another registry.
Result<std::string_view> WithoutHost(const Call& call, std::string_view address) {
  const std::string_view first = address.substr(0, address.find('/'));
  if (first.size() == address.size() || first.find_first_of(".:") == first.npos) return address;
  Result<HostName> host = HostName::ParseWire(first);
  const std::vector<HostName> own = call.services.Names();
  if (host && std::ranges::find(own, *host) != own.end()) return address.substr(first.size() + 1);
  return FailInvalid(
      "\"{}\" is a package of another registry: this tool has those of this registry only; use "
      "explain to ask whether it is mirrored",
      Printable(address));
}

Result<OwnAddress> ParseOwn(const Call& call, std::string_view text) {
  ASSIGN_OR_RETURN(std::string_view address, WithoutHost(call, text));
  if (std::ranges::count(address, '/') == 1) return ProviderAddress::Parse(address);
  return ModuleAddress::Parse(address);
}

// The module or provider, of which the caller may know.
template <class Address>
Task<Address> AdmitToOwn(Call& call, std::string text) {
  ASSIGN_OR_CO_RETURN(OwnAddress address, ParseOwn(call, text));
  Address* wanted = std::get_if<Address>(&address);
  if (wanted == nullptr) {
    constexpr bool kIsModule = std::same_as<Address, ModuleAddress>;
    co_return FailInvalid("\"{}\" is no address of a {}: write {}", Printable(text),
                          kIsModule ? "module" : "provider",
                          kIsModule ? "NAMESPACE/NAME/SYSTEM" : "NAMESPACE/TYPE");
  }
  CO_RETURN_IF_ERROR(co_await AdmitToNamespace(call, wanted->ns()));
  co_return *std::move(wanted);
}

// The version in words; "" is the newest.
template <class Records>
Result<Version> ChosenVersion(const Records& records, const std::string& text) {
  if (text.empty() || text == "latest") return service::Latest(records).version;
  return Version::ParseLookup(text);
}

// ---- search

void AppendHit(const SearchHit& hit, std::string& out) {
  out += fmt::format("- {} in {} {} {}{}{}\n", SearchKindName(hit.kind),
                     SearchKindName(hit.subject_kind), hit.address, hit.version,
                     hit.newest ? "" : ", not its newest version",
                     hit.deprecated ? ", deprecated" : "");
  out += Quoted(hit.name + (hit.title.empty() ? "" : ": " + hit.title));
  if (hit.field == SearchField::kText) out += Quoted(hit.snippet);
}

// ---- pages of docs

Task<std::string> ListDocPages(Call& call, ProviderAddress address, Version version) {
  std::string out =
      fmt::format("Pages of the documentation of {} {}:\n", address.ToString(), version.ToString());
  ASSIGN_OR_CO_RETURN(std::vector<service::DocEntry> pages,
                      co_await call.services.providers.docs.Index(
                          std::move(address), std::move(version), call.reading));
  if (pages.empty()) co_return FailNotFound("this version has no documentation and no schema");
  out += kQuotationNotice;
  for (const service::DocEntry& each : pages) {
    out += Quoted(fmt::format("{}/{}", each.name.kind, each.name.name));
  }
  co_return out;
}

std::string TextOfSchema(const service::SchemaTable& table) {
  std::string text = table.description + "\n";
  for (const service::SchemaRow& row : table.rows) {
    text += fmt::format("{} ({}{}{}): {}\n", row.path, row.is_block ? "block" : row.type,
                        row.required ? ", required" : "", row.deprecated ? ", deprecated" : "",
                        row.description);
  }
  if (table.left_out > 0) text += fmt::format("and {} more\n", table.left_out);
  return text;
}

// The author's file; without one, what the schema says.
Task<std::string> ReadDocPage(Call& call, ProviderAddress address, Version version, DocName name) {
  service::ProviderDocs& docs = call.services.providers.docs;
  Result<std::string> source = co_await docs.Source(address, version, name, call.reading);
  if (source || source.error().kind != ErrorKind::kNotFound) co_return source;
  Result<service::SchemaTable> table =
      co_await docs.SchemaPage(std::move(address), std::move(version), name, call.reading);
  if (table) co_return TextOfSchema(*table);
  if (table.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(table).error());
  co_return FailNotFound(
      "this version has no page \"{}/{}\": call get_provider_doc without \"page\" for the list",
      Printable(name.kind), Printable(name.name));
}

// ---- versions

template <class Records>
std::string TextOfVersions(std::string_view address, const Records& records) {
  std::string out = fmt::format("{} has {} versions, the newest first:\n{}", address,
                                records.size(), kQuotationNotice);
  for (const auto& each : records) {
    out += fmt::format("- {}, published {}{}\n", each.version.ToString(),
                       FormatRfc3339(each.published_at),
                       each.deprecation.empty() ? "" : ", deprecated:");
    out += Quoted(each.deprecation);
  }
  return out;
}

// ---- impact

std::string TextOfCallers(std::string_view address, const Version& version,
                          const service::CallerReport& report) {
  std::string out = fmt::format(
      "{} modules of this registry that you may read use {} {} in their newest version{}. {} calls "
      "may use it, because their source or version is an expression{}. Callers outside of this "
      "registry are not known here.\n{}",
      report.callers.size(), address, version.ToString(),
      report.more ? ", and there may be more" : "", report.unknown,
      report.unknown_more ? ", and there may be more" : "", kQuotationNotice);
  for (const service::ModuleCaller& each : report.callers) {
    out += fmt::format("- {} {}: {}\n", each.address, each.version,
                       each.instead.empty() ? "breaks without it, since no other version is allowed"
                                            : fmt::format("would take {} instead", each.instead));
    out += Quoted(fmt::format("{} requires {}", each.part.empty() ? "the root" : each.part,
                              each.constraint.empty() ? "any version" : each.constraint));
  }
  return out;
}

Task<std::string> ImpactOf(Call& call, ModuleAddress address, std::string text) {
  ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> records,
                      co_await call.services.modules.published.ListVersions(address));
  ASSIGN_OR_CO_RETURN(Version version, ChosenVersion(records, text));
  ASSIGN_OR_CO_RETURN(service::CallerReport report,
                      co_await call.services.usage.callers.OfModule(
                          call.Readable(), call.services.Names(), address, version));
  co_return TextOfCallers(address.ToString(), version, report);
}

Task<std::string> ImpactOf(Call& call, ProviderAddress address, std::string text) {
  ASSIGN_OR_CO_RETURN(std::vector<ReleaseSummary> records,
                      co_await call.services.providers.published.ListVersions(address));
  ASSIGN_OR_CO_RETURN(Version version, ChosenVersion(records, text));
  ASSIGN_OR_CO_RETURN(service::CallerReport report,
                      co_await call.services.usage.callers.OfProvider(
                          call.Readable(), call.services.Names(), address, version));
  co_return TextOfCallers(address.ToString(), version, report);
}

std::string TextOfExplanation(const wire::MirrorExplanation& told) {
  std::string out = fmt::format("{} {}{}: {}\nPolicy: {}{}\n", told.kind, told.address,
                                told.version.empty() ? "" : " " + told.version,
                                told.given ? "stored here and served" : "not stored here",
                                told.policy, told.rule.empty() ? "" : " by the rule " + told.rule);
  if (!told.may_pull) out += "Its registry is not in upstream.hosts: nothing is fetched there.\n";
  out += kQuotationNotice;
  for (const wire::MirrorWay& way : told.ways) {
    out += fmt::format("- below /{}/: {}\n", way.way, way.state) + Quoted(way.text);
  }
  return out;
}

// Unicode 16, UAX #14, the classes BK, CR, LF and NL.
constexpr bool EndsLine(char32_t code) {
  return (code >= 0x0A && code <= 0x0D) || code == 0x85 || code == 0x2028 || code == 0x2029;
}
constexpr bool IsControl(char32_t code) {
  return (code < 0x20 && code != '\t') || (code >= 0x7F && code < 0xA0);
}

}  // namespace

Task<std::string> UseTool(Call& call, wire::McpSearch asked) {
  const PageRequest page{.offset = 0, .limit = asked.limit};
  ASSIGN_OR_CO_RETURN(service::SearchAnswer answer,
                      co_await call.services.search.index.FindHits(
                          call.Readable(), std::move(asked.query), page, SearchOrder::kBest));
  std::string out =
      fmt::format("{}{} results, {} of them here.\n", answer.page.cut ? "More than " : "",
                  answer.total, answer.page.items.size());
  if (answer.page.forgiven) out += "Nothing has these words: these have similar ones.\n";
  if (!answer.page.missing.empty()) out += "Nothing has all words: some were left out.\n";
  out += kQuotationNotice;
  for (const SearchHit& hit : answer.page.items) AppendHit(hit, out);
  co_return out;
}

Task<std::string> UseTool(Call& call, wire::McpGetModule asked) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address,
                      co_await AdmitToOwn<ModuleAddress>(call, std::move(asked.address)));
  ASSIGN_OR_CO_RETURN(
      ModuleLookUp found,
      co_await LookUpModule(call, std::move(address), std::move(asked.version), Making::kAnswer));
  if (found.absence) {
    const web::ModuleAbsence& absence = *found.absence;
    co_return FailNotFound(
        "{} {} {}; {}", absence.address.ToString(), absence.version,
        absence.withdrawal ? "was withdrawn" : "does not exist",
        absence.newest.empty() ? "no version is left" : "the newest version is " + absence.newest);
  }
  const web::ModulePage& page = found.visit->page;
  auto render = [&call, &page] {
    return fmt::format("{} {}, as a page: {}/modules/{}/{}\n{}", page.record->address.ToString(),
                       page.record->version.ToString(), call.services.url,
                       page.record->address.ToString(), page.record->version.ToString(),
                       kQuotationNotice) +
           Quoted(web::ModuleMarkdown(page));
  };
  co_return co_await RenderAside(call, render);
}

Task<std::string> UseTool(Call& call, wire::McpListVersions asked) {
  ASSIGN_OR_CO_RETURN(OwnAddress own, ParseOwn(call, asked.address));
  if (const auto* module = std::get_if<ModuleAddress>(&own)) {
    CO_RETURN_IF_ERROR(co_await AdmitToNamespace(call, module->ns()));
    ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> records,
                        co_await call.services.modules.published.ListVersions(*module));
    co_return TextOfVersions(module->ToString(), records);
  }
  const auto& provider = std::get<ProviderAddress>(own);
  CO_RETURN_IF_ERROR(co_await AdmitToNamespace(call, provider.ns()));
  ASSIGN_OR_CO_RETURN(std::vector<ReleaseSummary> records,
                      co_await call.services.providers.published.ListVersions(provider));
  co_return TextOfVersions(provider.ToString(), records);
}

Task<std::string> UseTool(Call& call, wire::McpGetProviderDoc asked) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address,
                      co_await AdmitToOwn<ProviderAddress>(call, std::move(asked.address)));
  ASSIGN_OR_CO_RETURN(std::vector<ReleaseSummary> records,
                      co_await call.services.providers.published.ListVersions(address));
  ASSIGN_OR_CO_RETURN(Version version, ChosenVersion(records, asked.version));
  if (asked.page.empty()) {
    co_return co_await ListDocPages(call, std::move(address), std::move(version));
  }
  const std::size_t slash = asked.page.find('/');
  if (slash == asked.page.npos) {
    co_return FailInvalid("\"page\" must be KIND/NAME, for example resources/thing");
  }
  DocName name{
      .language = "", .kind = asked.page.substr(0, slash), .name = asked.page.substr(slash + 1)};
  std::string out = fmt::format("{} of {} {}:\n{}", Printable(asked.page), address.ToString(),
                                version.ToString(), kQuotationNotice);
  ASSIGN_OR_CO_RETURN(std::string text, co_await ReadDocPage(call, std::move(address),
                                                             std::move(version), std::move(name)));
  auto quote = [&out, &text] { return out + Quoted(text); };
  co_return co_await RenderAside(call, quote);
}

Task<std::string> UseTool(Call& call, wire::McpExplain asked) {
  CO_RETURN_IF_ERROR(AdmitToMirror(call));
  ASSIGN_OR_CO_RETURN(Explained explained, co_await ExplainAsked(call, std::move(asked.address),
                                                                 std::move(asked.version)));
  co_return TextOfExplanation(ToWire(explained));
}

Task<std::string> UseTool(Call& call, wire::McpImpact asked) {
  ASSIGN_OR_CO_RETURN(OwnAddress own, ParseOwn(call, asked.address));
  if (auto* module = std::get_if<ModuleAddress>(&own)) {
    CO_RETURN_IF_ERROR(co_await AdmitToNamespace(call, module->ns()));
    co_return co_await ImpactOf(call, std::move(*module), std::move(asked.version));
  }
  auto& provider = std::get<ProviderAddress>(own);
  CO_RETURN_IF_ERROR(co_await AdmitToNamespace(call, provider.ns()));
  co_return co_await ImpactOf(call, std::move(provider), std::move(asked.version));
}

std::string Quoted(std::string_view text) {
  std::string out;
  bool in_line = false;
  char32_t before = 0;
  while (!text.empty()) {
    const Utf8Character next = FirstCharacter(text);
    text.remove_prefix(next.bytes);
    const bool is_second_half = next.code == '\n' && before == '\r';
    before = next.code;
    if (is_second_half) continue;
    if (!in_line) out += "> ";
    in_line = !EndsLine(next.code);
    if (!in_line) {
      out += '\n';
    } else if (!IsControl(next.code)) {
      AppendUtf8(next.code, out);
    }
  }
  if (in_line) out += '\n';
  return out;
}

}  // namespace koya::api
