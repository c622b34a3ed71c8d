#include "inspect/provider/type_text.h"

#include <algorithm>

namespace koya::inspect::provider {
namespace {

constexpr std::size_t kMostLevels = 64;
// Limit on memory while a type is read: nested parts count again at each level.
constexpr std::size_t kMostBytes = 8 * kLongestType;
constexpr std::size_t kPartBytes = 64;

std::string WordOfType(std::string_view word) {
  return word == "dynamic" ? "any" : std::string(word);
}

}  // namespace

void TypeText::OnText(std::string_view text) {
  bytes_ += text.size();
  if (bytes_ > kMostBytes) bad_ = true;
  if (bad_) text = {};
  if (levels_.empty()) return Put(WordOfType(text));
  Level& level = levels_.back();
  if (level.object) return Put(WordOfType(text));
  // The first word is the kind; the names of optional attributes are in a list in the third place.
  if (level.word.empty() && level.parts.empty()) {
    level.word = text;
  } else {
    Put(WordOfType(text));
  }
}

void TypeText::OnKey(std::string_view key) {
  bytes_ += key.size();
  if (!levels_.empty()) levels_.back().key = key.substr(0, 256);
}

void TypeText::OnBegin(bool object) {
  if (levels_.size() >= kMostLevels) bad_ = true;
  levels_.emplace_back();
  levels_.back().object = object;
}

void TypeText::OnEnd() {
  if (levels_.empty()) return;
  Level level = std::move(levels_.back());
  levels_.pop_back();
  bool names = !level.object && levels_.size() > 0 && !levels_.back().object &&
               levels_.back().word == "object";
  if (names) {
    // ["a", "b"]: the first was taken for a word.
    Level& of = levels_.back();
    of.optional.push_back(std::move(level.word));
    for (auto& part : level.parts) of.optional.push_back(std::move(part.second));
    return;
  }
  if (level.object) {
    // Its members are those of the list around it: ["object", {…}].
    if (levels_.empty()) {
      bad_ = true;
      return Put("any");
    }
    if (level.parts.empty()) level.parts.emplace_back();
    levels_.back().parts = std::move(level.parts);
    return;
  }
  // A list of types: of a tuple.
  if (levels_.size() > 0 && levels_.back().word == "tuple" && !levels_.back().object) {
    Level& of = levels_.back();
    if (!level.word.empty()) of.parts.emplace_back("", WordOfType(level.word));
    for (auto& part : level.parts) of.parts.push_back(std::move(part));
    return;
  }
  Put(Text(level));
}

std::string TypeText::Text(Level& level) {
  std::string out = WordOfType(level.word) + "(";
  bool object = level.word == "object";
  if (level.word.empty()) bad_ = true;
  if (object) out += '{';
  bool first = true;
  for (auto& [name, type] : level.parts) {
    if (object && name.empty()) continue;
    if (!first) out += ", ";
    first = false;
    bool optional = std::ranges::find(level.optional, name) != level.optional.end();
    if (object) out += name + " = ";
    out += object && optional ? "optional(" + type + ")" : type;
    if (out.size() > kLongestType) {
      bad_ = true;
      return {};
    }
  }
  if (level.word == "tuple") return "tuple([" + out.substr(6) + "])";
  return out + (object ? "})" : ")");
}

void TypeText::Put(std::string type) {
  if (levels_.empty()) {
    type_ = std::move(type);
    done_ = true;
    return;
  }
  bytes_ += type.size() + kPartBytes;
  if (bytes_ > kMostBytes) bad_ = true;
  if (bad_) return;
  Level& level = levels_.back();
  level.parts.emplace_back(level.object ? std::exchange(level.key, {}) : "", std::move(type));
}

std::string TypeText::TakeText() {
  std::string out = bad_ || type_.empty() ? "any" : std::move(type_);
  *this = {};
  return out;
}

}  // namespace koya::inspect::provider
