#include "web/common/audit_sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

// A list of thousands of namespaces, or a long reason, is for the entry's page.
constexpr std::size_t kMostValue = 200;
constexpr int kMostVariants = 4;

using Values = std::vector<std::pair<std::string, std::string>>;

void AddValue(Values& values, std::string name, std::string_view value) {
  if (!value.empty()) values.emplace_back(std::move(name), Printable(value, kMostValue));
}

Values ValuesOf(const AuditEntry& entry) {
  Values values;
  const std::string_view target = entry.target;
  AddValue(values, "target", target);
  AddValue(values, "about", target.substr(target.find(':') + 1));
  AddValue(values, "namespace", entry.ns);
  AddValue(values, "action", entry.action);
  if (entry.count > 1) AddValue(values, "count", fmt::to_string(entry.count));
  for (const auto& [name, value] : ReadAuditFacts(entry.after)) AddValue(values, name, value);
  for (const auto& [name, value] : ReadAuditFacts(entry.before)) {
    AddValue(values, "was_" + name, value);
  }
  return values;
}

bool HasValue(const Values& values, std::string_view name) {
  return std::ranges::find(values, name, &Values::value_type::first) != values.end();
}

bool CanFill(std::string_view word, const Values& values) {
  return std::ranges::all_of(WordPieces(word), [&values](const WordPiece& piece) {
    return !piece.placeholder || HasValue(values, piece.text);
  });
}

// The first variant of the word that the values fill; "": none.
std::string VariantOf(Language language, const std::string& key, const Values& values) {
  const WordTable& words = WordsOf(language);
  for (int i = 1; i <= kMostVariants; ++i) {
    const std::string variant = i == 1 ? key : fmt::format("{}.{}", key, i);
    const auto word = words.find(variant);
    if (word == words.end()) break;
    if (CanFill(word->second, values)) return variant;
  }
  return "";
}

}  // namespace

std::string AuditSentence(Language language, const AuditEntry& entry) {
  const Values values = ValuesOf(entry);
  const bool is_denied = entry.kind == AuditKind::kDenied;
  std::string key = VariantOf(language, is_denied ? "did.denied" : "did." + entry.action, values);
  if (key.empty()) key = VariantOf(language, "did.other", values);
  if (key.empty()) return entry.action;
  std::vector<Filling> fillings;
  for (const auto& [name, value] : values) fillings.push_back({.name = name, .value = value});
  std::string sentence = FilledWord(language, key, fillings);
  if (!HasValue(values, "reason")) return sentence;
  fillings.insert(fillings.begin(), {.name = "sentence", .value = sentence});
  return FilledWord(language, "did.because", fillings);
}

}  // namespace koya::web
