#include "wire/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "domain/host_name.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kKept = "the list of what is kept";
constexpr std::string_view kWish = "the request";
constexpr std::string_view kOutcome = "the outcome of the check";

bool IsFine(const CheckOutcome& outcome) {
  return outcome.state == "ok" || outcome.state == "not_held";
}

json::object ThingObject(const KeptThing& thing) {
  json::object out;
  out["kind"] = thing.kind;
  out["hostname"] = TextOrNull(thing.hostname);
  out["address"] = thing.address;
  out["version"] = thing.version;
  out["platform"] = TextOrNull(thing.platform);
  out["size"] = thing.size;
  return out;
}

Result<KeptThing> ReadThing(const json::object& object) {
  KeptThing out;
  ASSIGN_OR_RETURN(out.kind, RequiredString(kKept, object, "kind"));
  ASSIGN_OR_RETURN(out.hostname, OptionalString(kKept, object, "hostname"));
  ASSIGN_OR_RETURN(out.address, RequiredString(kKept, object, "address"));
  ASSIGN_OR_RETURN(out.version, RequiredString(kKept, object, "version"));
  ASSIGN_OR_RETURN(out.platform, OptionalString(kKept, object, "platform"));
  ASSIGN_OR_RETURN(auto size, OptionalNumber(kKept, object, "size"));
  out.size = size.value_or(0);
  return out;
}

void AddOutcome(const CheckOutcome& outcome, json::object& out) {
  out["state"] = outcome.state;
  out["repaired"] = outcome.repaired;
  out["problem"] = TextOrNull(outcome.problem);
  out["warnings"] = StringArray(outcome.warnings);
}

}  // namespace

std::string KeptThing::Name() const {
  Result<HostName> host = HostName::ParseWire(hostname);
  std::string name = hostname.empty() ? "" : (host ? host->display() : hostname) + "/";
  name += address + " " + version;
  if (kind == "documents") return name + " SHA256SUMS";
  return platform.empty() ? name : name + " " + platform;
}

std::string EncodeKeptThings(const KeptThings& page) {
  json::array things;
  for (const KeptThing& thing : page.things) things.push_back(ThingObject(thing));
  json::object out;
  out["things"] = std::move(things);
  out["next"] = TextOrNull(page.next);
  return json::serialize(out);
}

Result<KeptThings> DecodeKeptThings(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kKept, body));
  KeptThings out;
  ASSIGN_OR_RETURN(out.things, RequiredObjects<KeptThing>(kKept, document, "things", ReadThing));
  ASSIGN_OR_RETURN(out.next, OptionalString(kKept, document, "next"));
  return out;
}

std::string EncodeCheckWish(const CheckWish& wish) {
  json::object out;
  out["quick"] = wish.quick;
  out["repair"] = wish.repair;
  return json::serialize(out);
}

Result<CheckWish> DecodeCheckWish(std::string_view body) {
  CheckWish out;
  if (body.empty()) return out;
  ASSIGN_OR_RETURN(json::object document, ParseObject(kWish, body));
  ASSIGN_OR_RETURN(out.quick, OptionalBool(kWish, document, "quick"));
  ASSIGN_OR_RETURN(out.repair, OptionalBool(kWish, document, "repair"));
  return out;
}

std::string EncodeCheckOutcome(const CheckOutcome& outcome) {
  json::object out;
  AddOutcome(outcome, out);
  return json::serialize(out);
}

Result<CheckOutcome> DecodeCheckOutcome(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kOutcome, body));
  CheckOutcome out;
  ASSIGN_OR_RETURN(out.state, RequiredString(kOutcome, document, "state"));
  ASSIGN_OR_RETURN(out.repaired, OptionalBool(kOutcome, document, "repaired"));
  ASSIGN_OR_RETURN(out.problem, OptionalString(kOutcome, document, "problem"));
  ASSIGN_OR_RETURN(out.warnings, OptionalStrings(kOutcome, document, "warnings"));
  return out;
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
    json::object item = ThingObject(each.thing);
    item["name"] = each.thing.Name();
    for (const std::string& warning : each.outcome.warnings) {
      json::object words = item;
      words["warning"] = warning;
      warnings.push_back(std::move(words));
    }
    if (IsFine(each.outcome)) continue;
    AddOutcome(each.outcome, item);
    findings.push_back(std::move(item));
  }
  json::object out;
  out["checked"] = report.checked;
  out["repaired"] = report.repaired();
  out["findings"] = std::move(findings);
  out["warnings"] = std::move(warnings);
  return json::serialize(out);
}

}  // namespace koya::wire
