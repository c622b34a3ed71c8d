#include "wire/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "domain/host_name.h"
#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kKept = "the list of stored files";

bool IsFine(const CheckOutcome& outcome) {
  return outcome.state == "ok" || outcome.state == "not_held";
}

}  // namespace

std::string StoredArtifact::Name() const {
  Result<HostName> host = HostName::ParseWire(hostname);
  std::string name = hostname.empty() ? "" : (host ? host->display() : hostname) + "/";
  name += version.empty() ? address : address + " " + version;
  if (kind == "documents") return name + " SHA256SUMS";
  if (kind == "docs" || kind == "schema") return name + " " + kind;
  if (kind == "draft") return name + " " + file + " (draft)";
  return platform.empty() ? name : name + " " + platform;
}

template <>
constexpr auto kDocument<StoredArtifact> = Document(
    kKept, Required("kind", &StoredArtifact::kind), OrNull("hostname", &StoredArtifact::hostname),
    Required("address", &StoredArtifact::address), OrNull("version", &StoredArtifact::version),
    OrNull("platform", &StoredArtifact::platform), Optional("size", &StoredArtifact::size),
    OrAbsent("digest", &StoredArtifact::digest), OrAbsent("file", &StoredArtifact::file));

template <>
constexpr auto kDocument<StoredArtifacts> = Document(
    kKept, Required("things", &StoredArtifacts::things), OrNull("next", &StoredArtifacts::next));

template <>
constexpr auto kDocument<VerifyRequest> =
    Document("the request", Optional("quick", &VerifyRequest::quick),
             Optional("repair", &VerifyRequest::repair))
        .OrEmptyBody();

template <>
constexpr auto kDocument<CheckOutcome> = Document(
    "the outcome of the check", Required("state", &CheckOutcome::state),
    Optional("repaired", &CheckOutcome::repaired), OrNull("problem", &CheckOutcome::problem),
    Optional("warnings", &CheckOutcome::warnings));

template <>
constexpr auto kDocument<LockedHash> =
    Document("the hash of the lock file", Required("hash", &LockedHash::hash),
             Optional("known", &LockedHash::known), Required("state", &LockedHash::state),
             OrNull("file", &LockedHash::file));

template <>
constexpr auto kDocument<LockedProviderReport> = Document(
    "the provider of the lock file", OrAbsent("file", &LockedProviderReport::file),
    Required("address", &LockedProviderReport::address),
    Required("version", &LockedProviderReport::version),
    OrNull("seen", &LockedProviderReport::seen), OrNull("from", &LockedProviderReport::from),
    OrNull("key", &LockedProviderReport::key), OrNull("by", &LockedProviderReport::by),
    Required("verdict", &LockedProviderReport::verdict),
    Required("hashes", &LockedProviderReport::hashes));

KOYA_DOCUMENT(LockReport);
KOYA_DOCUMENT(StoredArtifacts);
KOYA_DOCUMENT(VerifyRequest);
KOYA_DOCUMENT(CheckOutcome);

std::uint64_t VerifyReport::damaged() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      findings, [](const VerifyFinding& each) { return !IsFine(each.outcome); }));
}

std::uint64_t VerifyReport::repaired() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      findings, [](const VerifyFinding& each) { return each.outcome.repaired; }));
}

std::string EncodeVerifyReport(const VerifyReport& report) {
  json::array findings;
  json::array warnings;
  for (const VerifyFinding& each : report.findings) {
    json::object item = WriteObject(each.thing);
    item["name"] = each.thing.Name();
    for (const std::string& warning : each.outcome.warnings) {
      json::object words = item;
      words["warning"] = warning;
      warnings.push_back(std::move(words));
    }
    if (IsFine(each.outcome)) continue;
    for (const auto& member : WriteObject(each.outcome)) item.insert(member);
    findings.push_back(std::move(item));
  }
  json::object out;
  out["checked"] = report.checked;
  out["repaired"] = report.repaired();
  out["findings"] = std::move(findings);
  out["warnings"] = std::move(warnings);
  return json::serialize(out);
}

void AddVerifySchemas(SchemaList& list) {
  AddSchema<LockedProviderReport>(list);
  AddSchema<StoredArtifacts>(list);
  AddSchema<VerifyRequest>(list);
  AddSchema<CheckOutcome>(list);
}

}  // namespace koya::wire
