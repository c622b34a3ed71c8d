#include "domain/audit_facts.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

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
