#include "doctor/tool_visit.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "domain/version.h"
#include "http/url.h"

namespace koya::doctor {
namespace {

namespace json = boost::json;

using Values = std::vector<const json::value*>;

// The values at a path, null for each that is missing.
Values Follow(const json::value& document, std::string_view path) {
  Values values = {&document};
  while (!path.empty()) {
    std::size_t elements = path.find("[]");
    std::string_view name = path.substr(0, elements);
    if (name.starts_with('.')) name.remove_prefix(1);
    bool each = elements != path.npos;
    path = each ? path.substr(elements + 2) : std::string_view();
    Values next;
    for (const json::value* value : values) {
      const json::object* object = value == nullptr ? nullptr : value->if_object();
      const json::value* member = object == nullptr ? nullptr : object->if_contains(name);
      if (!each) {
        next.push_back(member);
      } else if (member != nullptr && member->is_array()) {
        for (const json::value& one : member->get_array()) next.push_back(&one);
      } else if (member != nullptr && member->is_object()) {
        for (const auto& [key, one] : member->get_object()) next.push_back(&one);
      } else {
        next.push_back(nullptr);
      }
    }
    values = std::move(next);
  }
  return values;
}

bool IsRelativeLocation(std::string_view text) {
  return text.starts_with('/') || text.starts_with("./") || text.starts_with("../");
}

// A scheme, or a prefix of the fetchers ("git::…"), which only they can read.
bool IsAbsoluteLocation(std::string_view text) {
  return text.find("::") != text.npos || http::ParseUrl(text).has_value();
}

bool IsWebUrl(std::string_view text, bool https_only) {
  Result<http::Url> url = http::ParseUrl(text);
  return url && (url->scheme == "https" || (!https_only && url->scheme == "http"));
}

bool IsHostPath(std::string_view text) { return text.starts_with('/') && !text.starts_with("//"); }

bool IsService(std::string_view text) { return IsHostPath(text) || IsWebUrl(text, true); }

bool HasForm(std::string_view text, FieldForm form) {
  switch (form) {
    case FieldForm::kVersion:
      return Version::Parse(text).has_value();
    case FieldForm::kService:
      return IsService(text);
    case FieldForm::kServiceJoin:
      return IsService(text) && text.ends_with('/');
    case FieldForm::kServicePath:
      return IsHostPath(text) && text.ends_with('/');
    case FieldForm::kLocation:
      return IsAbsoluteLocation(text);
    case FieldForm::kHostLocation:
      return IsHostPath(text) || IsAbsoluteLocation(text);
    case FieldForm::kAnyLocation:
      return IsRelativeLocation(text) || IsAbsoluteLocation(text);
    case FieldForm::kUrl:
      return IsWebUrl(text, false);
    case FieldForm::kTime:
      return ParseRfc3339(text).has_value();
    case FieldForm::kHash:
    case FieldForm::kLockHash:
      return text.starts_with("h1:") || text.starts_with("zh:");
    case FieldForm::kText:
    case FieldForm::kOneElement:
    case FieldForm::kElements:
      break;
  }
  return !text.empty();
}

std::string_view Wanted(FieldForm form) {
  switch (form) {
    case FieldForm::kText:
      return "a text";
    case FieldForm::kOneElement:
      return "an array with one element";
    case FieldForm::kElements:
      return "an array with elements";
    case FieldForm::kVersion:
      return "a version";
    case FieldForm::kService:
      return "a path on the host, or an https URL";
    case FieldForm::kServiceJoin:
      return "a path on the host, or an https URL, with a slash at its end";
    case FieldForm::kServicePath:
      return "a path on the host with a slash at its end";
    case FieldForm::kLocation:
      return "an absolute location";
    case FieldForm::kHostLocation:
      return "an absolute location, or a path on the host";
    case FieldForm::kAnyLocation:
      return "a location";
    case FieldForm::kUrl:
      return "an absolute URL";
    case FieldForm::kTime:
      return "a time as 2026-01-31T12:00:00Z";
    case FieldForm::kHash:
    case FieldForm::kLockHash:
      return "a hash with h1: or zh:";
  }
  return "";
}

// The field as read, or why the tool cannot read it.
struct Reading {
  std::vector<std::string> values;
  std::string fault;
};

Reading ReadText(std::string_view name, std::optional<std::string> text, FieldForm form) {
  if (!text || text->empty()) return {{}, fmt::format("\"{}\" is missing", name)};
  if (HasForm(*text, form)) return {{*std::move(text)}, ""};
  return {{}, fmt::format("\"{}\" is \"{}\", not {}", name, Printable(*text, 80), Wanted(form))};
}

std::size_t SizeOf(const json::value& value) {
  if (value.is_array()) return value.get_array().size();
  return value.is_object() ? value.get_object().size() : 0;
}

Reading ReadJsonField(std::string_view path, FieldForm form, const json::value& document) {
  Values found = Follow(document, path);
  if (found.empty()) return {{}, fmt::format("\"{}\" has no element", path)};
  Reading reading;
  for (const json::value* value : found) {
    if (value == nullptr || value->is_null()) return {{}, fmt::format("\"{}\" is missing", path)};
    bool counts = form == FieldForm::kOneElement || form == FieldForm::kElements;
    std::size_t size = counts ? SizeOf(*value) : 0;
    bool enough = form == FieldForm::kOneElement ? size == 1 && value->is_array() : size > 0;
    if (counts && !enough) {
      return {{},
              fmt::format("\"{}\" is not {}: {}", path, Wanted(form),
                          value->is_structured() ? fmt::format("it has {}", size)
                                                 : Printable(json::serialize(*value), 40))};
    }
    if (counts) continue;
    if (!value->is_string()) {
      return {{},
              fmt::format("\"{}\" is {}, not {}", path, Printable(json::serialize(*value), 40),
                          Wanted(form))};
    }
    Reading one = ReadText(path, std::string(value->get_string()), form);
    if (!one.fault.empty()) return one;
    reading.values.push_back(std::move(one.values.front()));
  }
  bool locks =
      form != FieldForm::kLockHash ||
      std::ranges::any_of(reading.values, [](const auto& each) { return each.starts_with("h1:"); });
  if (!locks) return {{}, fmt::format("\"{}\" has no \"h1:\" hash", path)};
  return reading;
}

Reading ReadDocument(std::string_view path, FieldForm form, const RecordedAnswer& exchange,
                     bool texts_only) {
  boost::system::error_code failed;
  json::value document = json::parse({exchange.body.data(), exchange.body.size()}, failed);
  if (failed || !document.is_object()) return {{}, "the body is not a JSON object"};
  if (texts_only) {
    for (const auto& [key, value] : document.get_object()) {
      if (value.is_string()) continue;
      return {{}, fmt::format("\"{}\" of the body is not a text", Printable(key, 40))};
    }
  }
  return ReadJsonField(path, form, document);
}

Reading Read(const NeededField& field, const RecordedAnswer& exchange) {
  std::optional<std::string> header = exchange.Get(field.path);
  switch (field.place) {
    case FieldPlace::kJson:
      return ReadDocument(field.path, field.form, exchange, false);
    case FieldPlace::kHeaderElseJson:
      if (header && !header->empty()) break;
      return ReadDocument("location", field.form, exchange, true);
    case FieldPlace::kByStatus:
      if (exchange.status == 204) break;
      return ReadDocument("location", field.form, exchange, false);
    case FieldPlace::kHeader:
      break;
  }
  return ReadText(field.path, std::move(header), field.form);
}

std::string Requested(const RecordedAnswer& exchange) {
  return fmt::format("GET {}", http::PlaceOf(exchange.first));
}

}  // namespace

FieldVerdict CheckField(const Tool& tool, const NeededField& field,
                        const RecordedAnswer& exchange) {
  Reading reading = Read(field, exchange);
  std::string step(tool.name);
  if (reading.fault.empty()) {
    return {Ok(step, fmt::format("{}: \"{}\" is {}", Requested(exchange), field.path,
                                 Wanted(field.form))),
            std::move(reading.values)};
  }
  return {Finding{field.severity, step,
                  fmt::format("{}: {}; {} {}", Requested(exchange), reading.fault, tool.title,
                              field.without),
                  std::string(field.fix)},
          {}};
}

Finding CheckStatus(const Tool& tool, const ToolRequest& request, const RecordedAnswer& exchange,
                    bool token_was_sent) {
  std::string step(tool.name);
  unsigned status = exchange.status;
  if (std::ranges::count(request.statuses, status) > 0) {
    return Ok(step,
              fmt::format("{}: the {}, status {}", Requested(exchange), request.what, status));
  }
  std::string fix = "respond with 200; the server's log should say why it does not";
  if (request.statuses.front() == 204) fix = "respond with 204 and X-Terraform-Get";
  if (status == 404) fix = "check the address, and whether it needs a token";
  if (status == 401 || status == 403) {
    fix = tool.token == ToolToken::kNone ? "make it public: this tool sends no token"
          : token_was_sent               ? "use a token that can read, and has not expired"
                                         : "set the tool's token, and use --token";
  }
  return {request.severity, step,
          fmt::format("{}: status {} for the {}; {} {}", Requested(exchange), status, request.what,
                      tool.title, request.without),
          std::move(fix)};
}

namespace {

constexpr std::uint64_t kMaxToolDocument = 8ULL << 20;

std::string Fill(std::string_view pattern, const std::map<std::string, std::string>& names) {
  std::string text;
  while (!pattern.empty()) {
    std::size_t open = pattern.find('{');
    text += pattern.substr(0, open);
    if (open == pattern.npos) break;
    std::size_t close = pattern.find('}', open);
    text += names.at(std::string(pattern.substr(open + 1, close - open - 1)));
    pattern.remove_prefix(close + 1);
  }
  return text;
}

// The version that the tool would take by itself: the highest, and no prerelease if there is
// another.
std::string Newest(const std::vector<std::string>& texts) {
  std::optional<Version> newest;
  for (const std::string& text : texts) {
    Result<Version> version = Version::Parse(text);
    if (!version) continue;
    bool better = !newest || (newest->is_prerelease() && !version->is_prerelease()) ||
                  (newest->is_prerelease() == version->is_prerelease() && *version > *newest);
    if (better) newest = *std::move(version);
  }
  return newest ? newest->ToString() : "";
}

class Play {
 public:
  Play(const ToolVisit& visit, const std::function<void(Finding)>& tell)
      : visit_(visit), tell_(tell) {
    bases_[""] = visit.registry;
    bases_[""].path = "/";
    names_ = {{"address", visit.address},
              {"host", visit.registry.host},
              {"os", visit.os},
              {"arch", visit.arch}};
  }

  // False when the tool ends here.
  bool Send(const ToolRequest& request) {
    std::optional<http::Url> url = UrlOf(request);
    if (!url) return true;  // a field that the tool can do without was missing
    bool discovers = request.base.empty();
    bool sends = visit_.tool.token == ToolToken::kAll ||
                 (visit_.tool.token == ToolToken::kServices && !discovers);
    Question question{.url = *url, .max_body = kMaxToolDocument};
    if (sends) question.token = visit_.token_for(*url);
    AddField(question, "User-Agent", visit_.tool.user_agent);
    AddField(question, "Accept", visit_.tool.accept);
    Result<RecordedAnswer> exchange = visit_.ask(question);
    if (!exchange) {
      return Report(Failed(std::string(visit_.tool.name), exchange.error().message,
                           "fix the connection first"));
    }
    Finding status = CheckStatus(visit_.tool, request, *exchange, !question.token.empty());
    bool good = status.severity == Severity::kOk;
    if (!Report(std::move(status))) return false;
    return !good || CheckFields(request, *exchange);
  }

 private:
  static void AddField(Question& question, std::string_view name, std::string_view value) {
    if (!value.empty()) question.fields.emplace_back(name, value);
  }

  bool Report(Finding finding) {
    bool goes_on = finding.severity != Severity::kFailure;
    tell_(std::move(finding));
    return goes_on;
  }

  std::optional<http::Url> UrlOf(const ToolRequest& request) const {
    auto base = bases_.find(request.base);
    if (base == bases_.end()) return std::nullopt;
    if (request.path.empty()) return base->second;
    Result<http::Url> url = http::ResolveUrl(base->second, "./" + Fill(request.path, names_));
    return url ? std::optional(*std::move(url)) : std::nullopt;
  }

  bool CheckFields(const ToolRequest& request, const RecordedAnswer& exchange) {
    bool good = true;
    for (const NeededField& field : request.fields) {
      FieldVerdict verdict = CheckField(visit_.tool, field, exchange);
      Learn(field, verdict.values);
      good = Report(std::move(verdict.finding)) && good;
    }
    return good;
  }

  // What later requests are made of.
  void Learn(const NeededField& field, const std::vector<std::string>& values) {
    if (values.empty()) return;
    if (field.form == FieldForm::kVersion) names_["version"] = Newest(values);
    Result<http::Url> url = http::ResolveUrl(visit_.registry, values.front());
    bool service = field.form == FieldForm::kService || field.form == FieldForm::kServiceJoin ||
                   field.form == FieldForm::kServicePath;
    if (!url || (!service && field.form != FieldForm::kUrl)) return;
    if (service && !url->path.ends_with('/')) url->path += '/';
    bases_[field.path] = *std::move(url);
  }

  const ToolVisit& visit_;
  const std::function<void(Finding)>& tell_;
  std::map<std::string_view, http::Url> bases_;  // by the path of the field
  std::map<std::string, std::string> names_;
};

}  // namespace

void PlayTool(const ToolVisit& visit, const std::function<void(Finding)>& tell) {
  if (visit.requests.empty()) {
    tell(Ok(std::string(visit.tool.name), fmt::format("{} requests nothing of a registry for a {}",
                                                      visit.tool.title, visit.kind)));
    return;
  }
  Play play(visit, tell);
  for (const ToolRequest& request : visit.requests) {
    if (!play.Send(request)) return;
  }
}

}  // namespace koya::doctor
