#include "wire/usage.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {
namespace {

// Reports have up to 100,000 rows.
constexpr JsonLimits kReportBounds{.storage = 256 << 20};

std::string CsvCell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string cell = "\"";
  for (char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell += '"';
}
std::string CsvCell(std::uint64_t number) { return std::to_string(number); }

template <class... Cell>
void AddCsvLine(std::string& out, const Cell&... cells) {
  ((out += CsvCell(cells), out += ','), ...);
  out.back() = '\r';
  out += '\n';
}

}  // namespace

template <>
constexpr auto kDocument<UsageRow> =
    Document("the usage", Required("name", &UsageRow::name),
             OrAbsent("principal", &UsageRow::principal), OrAbsent("label", &UsageRow::label),
             Optional("count", &UsageRow::count), Optional("archives", &UsageRow::archives),
             Optional("bots", &UsageRow::bots), Optional("consumers", &UsageRow::consumers),
             Optional("people", &UsageRow::people), Optional("last_day", &UsageRow::last_day));

template <>
constexpr auto kDocument<UsageDayCount> = Document(
    "the usage", Required("day", &UsageDayCount::day), Optional("count", &UsageDayCount::count));

template <>
constexpr auto kDocument<UsageReport> =
    Document("the usage", Required("address", &UsageReport::address),
             Optional("since", &UsageReport::since),
             OrNull("counted_since", &UsageReport::counted_since), Optional("by", &UsageReport::by),
             Optional("counted", &UsageReport::counted), Optional("named", &UsageReport::named),
             Optional("partial", &UsageReport::partial), Optional("total", &UsageReport::total),
             Optional("archives", &UsageReport::archives), Optional("bots", &UsageReport::bots),
             Optional("consumers", &UsageReport::consumers),
             Optional("people", &UsageReport::people), Required("rows", &UsageReport::rows),
             Required("days", &UsageReport::days))
        .Within(kReportBounds);

template <>
constexpr auto kDocument<CallingModule> = Document(
    "the impact", Required("address", &CallingModule::address),
    Required("version", &CallingModule::version), Optional("part", &CallingModule::part),
    Optional("constraint", &CallingModule::constraint), OrNull("instead", &CallingModule::instead));

template <>
constexpr auto kDocument<UsageImpact> =
    Document("the impact", Required("address", &UsageImpact::address),
             Required("version", &UsageImpact::version), Optional("since", &UsageImpact::since),
             OrNull("counted_since", &UsageImpact::counted_since),
             Optional("counted", &UsageImpact::counted), Optional("named", &UsageImpact::named),
             Optional("partial", &UsageImpact::partial), Optional("total", &UsageImpact::total),
             Optional("all", &UsageImpact::all), Optional("bots", &UsageImpact::bots),
             Optional("consumers", &UsageImpact::consumers),
             Optional("people", &UsageImpact::people), Required("rows", &UsageImpact::rows),
             Optional("callers", &UsageImpact::callers),
             Optional("callers_more", &UsageImpact::callers_more),
             Optional("unknown", &UsageImpact::unknown),
             Optional("unknown_more", &UsageImpact::unknown_more))
        .Within(kReportBounds);

template <>
constexpr auto kDocument<ImpactCaller> =
    Document("the impact", Required("address", &ImpactCaller::address),
             Required("version", &ImpactCaller::version), Optional("part", &ImpactCaller::part),
             Optional("constraint", &ImpactCaller::constraint));

template <>
constexpr auto kDocument<Impact> =
    Document("the impact", Required("callers", &Impact::callers),
             Optional("callers_more", &Impact::callers_more), Required("unknown", &Impact::unknown),
             Optional("unknown_more", &Impact::unknown_more))
        .Within(kReportBounds);

template <>
constexpr auto kDocument<FetchedVersion> =
    Document("the consumers", Required("version", &FetchedVersion::version),
             Optional("last", &FetchedVersion::last));

template <>
constexpr auto kDocument<UsedByConsumer> = Document(
    "the consumers", Required("name", &UsedByConsumer::name),
    OrAbsent("principal", &UsedByConsumer::principal), OrAbsent("label", &UsedByConsumer::label),
    Required("versions", &UsedByConsumer::versions), Optional("behind", &UsedByConsumer::behind));

template <>
constexpr auto kDocument<UsedByMeta> = Document(
    "the consumers", Optional("limit", &UsedByMeta::limit),
    Optional("current_offset", &UsedByMeta::current_offset), Optional("total", &UsedByMeta::total));

template <>
constexpr auto kDocument<UsedBy> =
    Document("the consumers", Required("address", &UsedBy::address),
             Optional("since", &UsedBy::since), OrNull("counted_since", &UsedBy::counted_since),
             Optional("counted", &UsedBy::counted), Optional("named", &UsedBy::named),
             Optional("partial", &UsedBy::partial), Optional("total", &UsedBy::total),
             Optional("archives", &UsedBy::archives), Optional("bots", &UsedBy::bots),
             Optional("people", &UsedBy::people), Optional("behind", &UsedBy::behind),
             Optional("versions", &UsedBy::versions), Required("consumers", &UsedBy::consumers),
             Optional("dependents", &UsedBy::dependents),
             Optional("dependents_more", &UsedBy::dependents_more), Optional("days", &UsedBy::days),
             Optional("meta", &UsedBy::meta))
        .Within(kReportBounds);

template <>
constexpr auto kDocument<UsageLagRow> =
    Document("the lag report", OrAbsent("principal", &UsageLagRow::principal),
             OrAbsent("label", &UsageLagRow::label), Required("kind", &UsageLagRow::kind),
             Required("address", &UsageLagRow::address), Required("version", &UsageLagRow::version),
             Required("latest", &UsageLagRow::latest), Optional("behind", &UsageLagRow::behind),
             Optional("days", &UsageLagRow::days));

template <>
constexpr auto kDocument<UsageLag> =
    Document("the lag report", Required("namespace", &UsageLag::ns),
             Optional("days", &UsageLag::days), OrNull("counted_since", &UsageLag::counted_since),
             Optional("counted", &UsageLag::counted), Optional("partial", &UsageLag::partial),
             Optional("behind_median", &UsageLag::behind_median),
             Optional("behind_p90", &UsageLag::behind_p90),
             Optional("days_median", &UsageLag::days_median),
             Optional("days_p90", &UsageLag::days_p90), Required("rows", &UsageLag::rows))
        .Within(kReportBounds);

template <>
constexpr auto kDocument<UnusedRow> = Document(
    "the list of unused packages", Required("address", &UnusedRow::address),
    Required("latest", &UnusedRow::latest), Optional("published_at", &UnusedRow::published_at),
    Optional("versions", &UnusedRow::versions), OrNull("last_day", &UnusedRow::last_day));

template <>
constexpr auto kDocument<UnusedPage> =
    Document("the list of unused packages", Optional("days", &UnusedPage::days),
             OrNull("counted_since", &UnusedPage::counted_since),
             Optional("counted", &UnusedPage::counted), Required("rows", &UnusedPage::rows),
             OrNull("next", &UnusedPage::next))
        .Within(kReportBounds);

template <>
constexpr auto kDocument<DownloadCounts> =
    Document("the summary", Optional("month", &DownloadCounts::month),
             Optional("total", &DownloadCounts::total), Optional("week", &DownloadCounts::week),
             Optional("year", &DownloadCounts::year));

template <>
constexpr auto kDocument<DownloadData> =
    Document("the summary", Required("type", &DownloadData::type),
             Required("id", &DownloadData::id), Required("attributes", &DownloadData::attributes));

template <>
constexpr auto kDocument<DownloadSummary> =
    Document("the summary", Required("data", &DownloadSummary::data));

template <>
constexpr auto kDocument<ForgetRequest> =
    Document("the request", Required("principal", &ForgetRequest::principal));

template <>
constexpr auto kDocument<ForgottenUsage> =
    Document("the response", Required("principal", &ForgottenUsage::principal),
             Optional("rows", &ForgottenUsage::rows));

KOYA_DOCUMENT(UsageReport);
std::string UsageReportCsv(const UsageReport& report) {
  std::string out;
  AddCsvLine(out, "name", "principal", "label", "count", "archives", "bots", "consumers", "people",
             "last_day");
  for (const UsageRow& row : report.rows) {
    AddCsvLine(out, row.name, row.principal, row.label, row.count, row.archives, row.bots,
               row.consumers, row.people, row.last_day);
  }
  return out;
}

KOYA_DOCUMENT(UsageImpact);
std::string UsageImpactCsv(const UsageImpact& impact) {
  std::string out;
  AddCsvLine(out, "name", "principal", "label", "count", "archives", "people", "last_day");
  for (const UsageRow& row : impact.rows) {
    AddCsvLine(out, row.name, row.principal, row.label, row.count, row.archives, row.people,
               row.last_day);
  }
  return out;
}

KOYA_DOCUMENT(Impact);

KOYA_DOCUMENT(UsedBy);

KOYA_DOCUMENT(UsageLag);
std::string UsageLagCsv(const UsageLag& lag) {
  std::string out;
  AddCsvLine(out, "principal", "label", "kind", "address", "version", "latest", "behind", "days");
  for (const UsageLagRow& row : lag.rows) {
    AddCsvLine(out, row.principal, row.label, row.kind, row.address, row.version, row.latest,
               row.behind, row.days);
  }
  return out;
}

KOYA_DOCUMENT(UnusedPage);
std::string UnusedPageCsv(const UnusedPage& page) {
  std::string out;
  AddCsvLine(out, "address", "latest", "published_at", "versions", "last_day");
  for (const UnusedRow& row : page.rows) {
    AddCsvLine(out, row.address, row.latest, row.published_at, row.versions, row.last_day);
  }
  return out;
}

KOYA_DOCUMENT(DownloadSummary);

KOYA_DOCUMENT(ForgetRequest);
KOYA_DOCUMENT(ForgottenUsage);

void AddUsageSchemas(SchemaList& list) {
  AddSchema<UsageReport>(list);
  AddSchema<UsageImpact>(list);
  AddSchema<Impact>(list);
  AddSchema<UsedBy>(list);
  AddSchema<UsageLag>(list);
  AddSchema<UnusedPage>(list);
  AddSchema<DownloadSummary>(list);
  AddSchema<ForgetRequest>(list);
  AddSchema<ForgottenUsage>(list);
}

}  // namespace koya::wire
