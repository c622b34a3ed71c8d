// Documents of /api/v1/usage: consumers and their fetches. Fetched does not mean deployed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// One version, consumer or client.
struct UsageRow {
  std::string name;         // the version, the consumer (its label or principal) or the client
  std::string principal;    // of a consumer: "service:build"; empty and omitted: anonymous
  std::string label;        // of a consumer: its own label; omitted likewise
  std::uint64_t count = 0;  // fetches
  std::uint64_t archives = 0;
  std::uint64_t bots = 0;
  std::uint64_t consumers = 0;
  std::uint64_t people = 0;
  std::string last_day;  // "2026-11-21"
  friend bool operator==(const UsageRow&, const UsageRow&) = default;
};

struct UsageDayCount {
  std::string day;  // "2026-11-21"
  std::uint64_t count = 0;
  friend bool operator==(const UsageDayCount&, const UsageDayCount&) = default;
};

// GET …/usage/modules/… and …/usage/providers/…
struct UsageReport {
  std::string address;
  std::string since;          // the first requested day
  std::string counted_since;  // the first day that this server counted; "": none, null on the wire
  std::string by;             // "version", "consumer", "client"
  bool counted = false;       // whether this server counts at all
  bool named = false;         // whether consumers have names
  bool partial = false;       // too much data to sum up
  std::uint64_t total = 0;    // fetches, without bots
  std::uint64_t archives = 0;
  std::uint64_t bots = 0;
  std::uint64_t consumers = 0;
  std::uint64_t people = 0;
  std::vector<UsageRow> rows;
  std::vector<UsageDayCount> days;  // days with fetches
  friend bool operator==(const UsageReport&, const UsageReport&) = default;
};
// The rows as CSV (RFC 4180), with a header line.
std::string UsageReportCsv(const UsageReport& report);

// A module of this registry that calls a version and would lose it.
struct CallingModule {
  std::string address;  // "acme/network/aws"
  std::string version;  // its newest version
  std::string part;     // the calling folder, "modules/a"; "": the root
  std::string constraint;
  std::string instead;  // the newest other version that matches; "" = none: it breaks
  friend bool operator==(const CallingModule&, const CallingModule&) = default;
};

// GET …/usage/impact/…: usage of one version, by consumer.
struct UsageImpact {
  std::string address;
  std::string version;
  std::string since;
  std::string counted_since;
  bool counted = false;
  bool named = false;
  bool partial = false;
  std::uint64_t total = 0;  // fetches of the version
  std::uint64_t all = 0;    // of all versions
  std::uint64_t bots = 0;
  std::uint64_t consumers = 0;
  std::uint64_t people = 0;
  std::vector<UsageRow> rows;
  std::vector<CallingModule> callers;  // those that the reader may see; breaking ones first
  bool callers_more = false;           // there may be more
  std::uint64_t unknown = 0;  // calls that may be callers: an expression says what or which
  bool unknown_more = false;  // there may be more
  friend bool operator==(const UsageImpact&, const UsageImpact&) = default;
};
std::string UsageImpactCsv(const UsageImpact& impact);

// A module of this registry that depends on any version of another, or of a provider.
struct ImpactCaller {
  std::string address;  // "acme/network/aws"
  std::string version;  // its newest version
  std::string part;     // the calling folder, "modules/a"; "": the root
  std::string constraint;
  friend bool operator==(const ImpactCaller&, const ImpactCaller&) = default;
};

// GET /api/v1/impact/…
struct Impact {
  std::vector<ImpactCaller> callers;  // those that the reader may see
  bool callers_more = false;          // there may be more
  std::uint64_t unknown = 0;          // calls whose source is an expression
  bool unknown_more = false;          // there may be more
  friend bool operator==(const Impact&, const Impact&) = default;
};

// A consumer, and the versions that it fetched.
struct FetchedVersion {
  std::string version;
  std::string last;  // "2026-11-21"
  friend bool operator==(const FetchedVersion&, const FetchedVersion&) = default;
};
struct UsedByConsumer {
  std::string name;       // its label, else its principal
  std::string principal;  // as in UsageRow, like the next
  std::string label;
  std::vector<FetchedVersion> versions;  // newest first
  std::uint64_t behind = 0;              // releases newer than the newest of them
  friend bool operator==(const UsedByConsumer&, const UsedByConsumer&) = default;
};

// The part of the consumers that a document has.
struct UsedByMeta {
  std::uint64_t limit = 0;
  std::uint64_t current_offset = 0;
  std::uint64_t total = 0;  // of all parts
  friend bool operator==(const UsedByMeta&, const UsedByMeta&) = default;
};

// GET …/usage/{modules|providers}/…/used-by
struct UsedBy {
  std::string address;
  std::string since;  // as in UsageReport, like all before `versions`
  std::string counted_since;
  bool counted = false;
  bool named = false;
  bool partial = false;
  std::uint64_t total = 0;
  std::uint64_t archives = 0;
  std::uint64_t bots = 0;
  std::uint64_t people = 0;
  std::uint64_t behind = 0;               // consumers that are behind
  std::vector<UsageRow> versions;         // newest first
  std::vector<UsedByConsumer> consumers;  // furthest behind first; empty unless `named`
  std::vector<ImpactCaller> dependents;   // those that the reader may see; mirrored ones too
  bool dependents_more = false;           // there may be more
  std::vector<UsageDayCount> days;
  UsedByMeta meta;
  friend bool operator==(const UsedBy&, const UsedBy&) = default;
};

// GET …/usage/lag
struct UsageLagRow {
  std::string principal;
  std::string label;
  std::string kind;  // "module", "provider"
  std::string address;
  std::string version;
  std::string latest;
  std::uint64_t behind = 0;
  std::uint64_t days = 0;
  friend bool operator==(const UsageLagRow&, const UsageLagRow&) = default;
};
struct UsageLag {
  std::string ns;
  std::uint64_t days = 0;
  std::string counted_since;  // as in UsageReport
  bool counted = false;
  bool partial = false;
  std::uint64_t behind_median = 0;
  std::uint64_t behind_p90 = 0;
  std::uint64_t days_median = 0;
  std::uint64_t days_p90 = 0;
  std::vector<UsageLagRow> rows;
  friend bool operator==(const UsageLag&, const UsageLag&) = default;
};
std::string UsageLagCsv(const UsageLag& lag);

// GET …/usage/unused: a page.
struct UnusedRow {
  std::string address;
  std::string latest;
  std::string published_at;  // RFC 3339
  std::uint64_t versions = 0;
  std::string last_day;  // empty: never, null on the wire
  friend bool operator==(const UnusedRow&, const UnusedRow&) = default;
};
struct UnusedPage {
  std::uint64_t days = 0;
  std::string counted_since;
  bool counted = false;
  std::vector<UnusedRow> rows;
  std::string next;  // the `offset` of the next page; empty: this is the last, null on the wire
  friend bool operator==(const UnusedPage&, const UnusedPage&) = default;
};
std::string UnusedPageCsv(const UnusedPage& page);

// GET /v2/modules/…/downloads/summary, in the format of other registries.
struct DownloadCounts {
  std::uint64_t month = 0;
  std::uint64_t total = 0;
  std::uint64_t week = 0;
  std::uint64_t year = 0;
  friend bool operator==(const DownloadCounts&, const DownloadCounts&) = default;
};
struct DownloadData {
  std::string type = "module-downloads-summary";
  std::string id;  // "acme/vpc/aws"
  DownloadCounts attributes;
  friend bool operator==(const DownloadData&, const DownloadData&) = default;
};
struct DownloadSummary {
  DownloadData data;
  friend bool operator==(const DownloadSummary&, const DownloadSummary&) = default;
};

// POST …/usage/forget
struct ForgetRequest {
  std::string principal;
  friend bool operator==(const ForgetRequest&, const ForgetRequest&) = default;
};
struct ForgottenUsage {
  std::string principal;
  std::uint64_t rows = 0;
  friend bool operator==(const ForgottenUsage&, const ForgottenUsage&) = default;
};

// ---- endpoints

inline constexpr Endpoint<void, UsageReport, 3> kGetModuleUsage{
    "GET", "/api/v1/usage/modules/{namespace}/{name}/{system}"};
inline constexpr Endpoint<void, UsageReport, 2> kGetProviderUsage{
    "GET", "/api/v1/usage/providers/{namespace}/{type}"};
inline constexpr Endpoint<void, UsageReport, 4> kGetMirroredModuleUsage{
    "GET", "/api/v1/usage/mirror/modules/{hostname}/{namespace}/{name}/{system}"};
inline constexpr Endpoint<void, UsageReport, 3> kGetMirroredProviderUsage{
    "GET", "/api/v1/usage/mirror/providers/{hostname}/{namespace}/{type}"};
inline constexpr Endpoint<void, UsedBy, 3> kGetModuleUsedBy{
    "GET", "/api/v1/usage/modules/{namespace}/{name}/{system}/used-by"};
inline constexpr Endpoint<void, UsedBy, 2> kGetProviderUsedBy{
    "GET", "/api/v1/usage/providers/{namespace}/{type}/used-by"};
inline constexpr Endpoint<void, Impact, 3> kListModuleCallers{
    "GET", "/api/v1/impact/modules/{namespace}/{name}/{system}"};
inline constexpr Endpoint<void, Impact, 2> kListProviderCallers{
    "GET", "/api/v1/impact/providers/{namespace}/{type}"};
inline constexpr Endpoint<void, UsageImpact, 4> kGetModuleImpact{
    "GET", "/api/v1/usage/impact/{namespace}/{name}/{system}/{version}"};
inline constexpr Endpoint<void, UsageImpact, 3> kGetProviderImpact{
    "GET", "/api/v1/usage/impact/{namespace}/{type}/{version}"};
inline constexpr Endpoint<void, UsageLag> kGetUsageLag{"GET", "/api/v1/usage/lag"};
inline constexpr Endpoint<void, UnusedPage> kListUnused{"GET", "/api/v1/usage/unused"};
inline constexpr Endpoint<ForgetRequest, ForgottenUsage> kForgetUsage{"POST",
                                                                      "/api/v1/usage/forget"};

}  // namespace koya::wire
