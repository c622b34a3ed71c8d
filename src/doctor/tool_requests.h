// What tools other than tofu and terraform ask of a registry, and what they need in its responses:
// one table. Each row is read from the tool's source; docs/updaters.md names the tools.
#pragma once

#include <span>
#include <string_view>

#include "doctor/finding.h"

namespace koya::doctor {

// Where a field is in a response.
enum class FieldPlace {
  kJson,            // a path into the document, as "modules[].versions[].version"
  kHeader,          // a header field
  kHeaderElseJson,  // X-Terraform-Get; without it, "location" of a document with texts only
  kByStatus,        // with 204 the header field, with 200 "location" of the document
};

// What the tool takes as a value.
enum class FieldForm {
  kText,          // a text that is not empty
  kOneElement,    // an array with exactly one element
  kElements,      // an array or object with an element
  kVersion,       // a text that is a version
  kService,       // a path on the host, or an https URL
  kServiceJoin,   // the same, and a slash at its end: the tool resolves addresses against it
  kServicePath,   // a path on the host with a slash at its end: the tool only puts it behind the
                  // host
  kLocation,      // an address for the tool's fetcher that is not relative
  kHostLocation,  // the same, or a path on the host, which the tool puts behind the host
  kAnyLocation,   // kLocation, or relative: the tool resolves it
  kUrl,           // an absolute http(s) URL
  kLockHash,      // "h1:…" or "zh:…", and at least one with "h1:"
  kTime,          // RFC 3339
  kHash,          // "h1:…" or "zh:…"
};

// A field that the tool reads. A path into a document names a member; "[]" behind it stands for
// every element of the array or object there.
struct NeededField {
  std::string_view path;
  FieldForm form;
  std::string_view without;  // what the tool does without it: "installs no module"
  std::string_view fix;
  Severity severity = Severity::kFailure;  // kWarning: the tool works without it, but less well
  FieldPlace place = FieldPlace::kJson;
};

struct ToolRequest {
  std::string_view what;  // "version list"
  // "": the registry itself. Else the path of a field of an earlier request: the URL there.
  std::string_view base;
  // Appended to the base's URL; "" for the base itself. {address}, {host} (without a port),
  // {version} (the newest one of an earlier list), {os} and {arch} are replaced.
  std::string_view path;
  std::span<const unsigned> statuses;  // those that the tool goes on with
  std::span<const NeededField> fields;
  std::string_view without;  // what the tool does after another status
  Severity severity = Severity::kFailure;
};

// Which requests have the user's token.
enum class ToolToken {
  kAll,
  kServices,  // those to a service, but not discovery
  kNone,
};

struct Tool {
  std::string_view name;        // "renovate"
  std::string_view title;       // "Renovate"
  std::string_view user_agent;  // "" for none
  std::string_view accept;      // "" for none
  ToolToken token;
  std::span<const ToolRequest> of_modules;    // in this order; empty: the tool asks nothing
  std::span<const ToolRequest> of_providers;  // likewise
};

std::span<const Tool> Tools();
// Null when there is none of that name.
const Tool* FindTool(std::string_view name);

}  // namespace koya::doctor
