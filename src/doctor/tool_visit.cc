#include "doctor/tool_visit.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "doctor/tool_rules.h"
#include "domain/version.h"

namespace koya::doctor {
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
