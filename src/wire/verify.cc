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
constexpr std::string_view kRun = "the run of koya verify";

bool IsFine(const CheckOutcome& outcome) {
  return outcome.state == "ok" || outcome.state == "not_held";
}

// Between characters.
std::string CutText(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  text.resize(most);
  return text;
}

}  // namespace

std::string StoredArtifact::Name() const {
  Result<HostName> host = HostName::ParseWire(hostname);
  std::string name = hostname.empty() ? "" : (host ? host->display() : hostname) + "/";
  name += version.empty() ? address : address + " " + version;
  if (kind == "documents") return name + " SHA256SUMS";
  if (kind == "docs" || kind == "schema") return name + " " + kind;
  return platform.empty() ? name : name + " " + platform;
}

template <>
constexpr auto kDocument<StoredArtifact> = Document(
    kKept, Required("kind", &StoredArtifact::kind), OrNull("hostname", &StoredArtifact::hostname),
    Required("address", &StoredArtifact::address), OrNull("version", &StoredArtifact::version),
    OrNull("platform", &StoredArtifact::platform), Optional("size", &StoredArtifact::size));

template <>
constexpr auto kDocument<ArtifactList> =
    Document(kKept, Required("things", &ArtifactList::things), OrNull("next", &ArtifactList::next));

template <>
constexpr auto kDocument<VerifyRequest> =
    Document("the request", Optional("quick", &VerifyRequest::quick),
             Optional("repair", &VerifyRequest::repair));

template <>
constexpr auto kDocument<CheckOutcome> = Document(
    "the outcome of the check", Required("state", &CheckOutcome::state),
    Optional("repaired", &CheckOutcome::repaired), OrNull("problem", &CheckOutcome::problem),
    Optional("warnings", &CheckOutcome::warnings));

template <>
constexpr auto kDocument<VerifyWrong> =
    Document("the finding", Required("name", &VerifyWrong::name),
             Required("state", &VerifyWrong::state), Optional("repaired", &VerifyWrong::repaired));

template <>
constexpr auto kDocument<VerifyProgress> = Document(
    kRun, Optional("quick", &VerifyProgress::quick),
    Optional("mirrored_only", &VerifyProgress::mirrored_only),
    Optional("partial", &VerifyProgress::partial), Optional("checked", &VerifyProgress::checked),
    Optional("wrong", &VerifyProgress::wrong), Optional("repaired", &VerifyProgress::repaired),
    Optional("found", &VerifyProgress::found), Optional("ended", &VerifyProgress::ended),
    OrNull("failure", &VerifyProgress::failure));

template <>
constexpr auto kDocument<VerifyRun> =
    Document(kRun, Required("id", &VerifyRun::id), Optional("by", &VerifyRun::by),
             Required("began_at", &VerifyRun::began_at), Required("told_at", &VerifyRun::told_at),
             Required("progress", &VerifyRun::progress));

std::string EncodeArtifactList(const ArtifactList& page) { return Encode(page); }
Result<ArtifactList> DecodeArtifactList(std::string_view body) {
  return Decode<ArtifactList>(body);
}
std::string EncodeVerifyRequest(const VerifyRequest& wish) { return Encode(wish); }
Result<VerifyRequest> DecodeVerifyRequest(std::string_view body) {
  return body.empty() ? VerifyRequest() : Decode<VerifyRequest>(body);
}
std::string EncodeCheckOutcome(const CheckOutcome& outcome) { return Encode(outcome); }
Result<CheckOutcome> DecodeCheckOutcome(std::string_view body) {
  return Decode<CheckOutcome>(body);
}

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

void TakeFindings(const VerifyReport& report, VerifyProgress& progress) {
  progress.checked = report.checked;
  progress.wrong = report.damaged();
  progress.repaired = std::min(report.repaired(), progress.wrong);
  progress.found.clear();
  for (const VerifyFinding& each : report.findings) {
    if (progress.found.size() == VerifyProgress::kMostFound) break;
    if (IsFine(each.outcome)) continue;
    progress.found.push_back({.name = CutText(each.thing.Name(), VerifyProgress::kLongestText),
                              .state = each.outcome.state,
                              .repaired = each.outcome.repaired});
  }
}

std::string EncodeVerifyProgress(const VerifyProgress& progress) {
  VerifyProgress bounded = progress;
  bounded.failure = CutText(std::move(bounded.failure), VerifyProgress::kLongestText);
  return Encode(bounded);
}
Result<VerifyProgress> DecodeVerifyProgress(std::string_view body) {
  return body.empty() ? VerifyProgress() : Decode<VerifyProgress>(body);
}
std::string EncodeVerifyRunId(std::string_view id) { return EncodeText("id", id); }
Result<std::string> DecodeVerifyRunId(std::string_view body) {
  return DecodeText(kRun, "id", body);
}
std::string EncodeVerifyRuns(const std::vector<VerifyRun>& runs) {
  return EncodeList("runs", runs);
}
Result<std::vector<VerifyRun>> DecodeVerifyRuns(std::string_view body) {
  return DecodeList<VerifyRun>("the list of runs of koya verify", "runs", body);
}

void AddVerifySchemas(SchemaList& list) {
  AddSchema<VerifyProgress>(list, "VerifyProgress");
  AddSchema<VerifyRun>(list, "VerifyRun");
  AddSchema<ArtifactList>(list, "StoredArtifacts");
  AddSchema<VerifyRequest>(list, "VerifyRequest");
  AddSchema<CheckOutcome>(list, "CheckOutcome");
}

}  // namespace koya::wire
