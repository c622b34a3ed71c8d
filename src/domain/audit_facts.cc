#include "domain/audit_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace koya {
namespace {

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : Printable(text, AuditFacts::kMostText)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

class FactReader {
 public:
  explicit FactReader(std::string_view json) : rest_(json) {}

  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::string> Quoted() {
    if (!Take('"')) return std::nullopt;
    std::string text;
    while (!rest_.empty() && !rest_.starts_with('"')) {
      Take('\\');
      if (rest_.empty()) return std::nullopt;
      text += rest_.front();
      rest_.remove_prefix(1);
    }
    return Take('"') ? std::optional(std::move(text)) : std::nullopt;
  }
  std::optional<std::string> Value() {
    if (rest_.starts_with('"')) return Quoted();
    if (Take('[')) return List();
    const std::size_t end = rest_.find_first_not_of("-0123456789");
    std::string number(rest_.substr(0, end));
    rest_.remove_prefix(number.size());
    return number.empty() ? std::nullopt : std::optional(std::move(number));
  }

 private:
  std::optional<std::string> List() {
    std::string all;
    while (!Take(']')) {
      if (!all.empty()) all += ", ";
      std::optional<std::string> element = Quoted();
      if (!element) return std::nullopt;
      all += *element;
      if (!Take(',') && !rest_.starts_with(']')) return std::nullopt;
    }
    return all;
  }

  std::string_view rest_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> ReadAuditFacts(std::string_view json) {
  std::vector<std::pair<std::string, std::string>> facts;
  FactReader reader(json);
  for (bool more = reader.Take('{'); more; more = reader.Take(',')) {
    std::optional<std::string> name = reader.Quoted();
    if (!name || !reader.Take(':')) break;
    std::optional<std::string> value = reader.Value();
    if (!value) break;
    facts.emplace_back(*std::move(name), *std::move(value));
  }
  return facts;
}

void AuditFacts::Begin(std::string_view name) {
  if (!members_.empty()) members_ += ',';
  members_ += fmt::format("\"{}\":", name);
}

AuditFacts& AuditFacts::Add(std::string_view name, std::string_view text) & {
  Begin(name);
  AppendQuoted(members_, text);
  return *this;
}

AuditFacts& AuditFacts::Add(std::string_view name, std::int64_t number) & {
  Begin(name);
  members_ += std::to_string(number);
  return *this;
}

AuditFacts& AuditFacts::Add(std::string_view name, std::span<const std::string> texts) & {
  Begin(name);
  members_ += '[';
  const std::span named = texts.first(std::min(texts.size(), kMostElements));
  for (const std::string& text : named) {
    if (&text != named.data()) members_ += ',';
    AppendQuoted(members_, text);
  }
  if (texts.size() > named.size()) {
    members_ += fmt::format(",\"and {} more\"", texts.size() - named.size());
  }
  members_ += ']';
  return *this;
}

AuditFacts& AuditFacts::Add(std::string_view name, std::optional<std::int64_t> number) & {
  if (number) Add(name, *number);
  return *this;
}

}  // namespace koya
