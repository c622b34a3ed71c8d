// What an audit entry says of a thing before or after a change: a small JSON object, made of plain
// facts in the order in which they are added.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace koya {

class AuditFacts {
 public:
  // A text's longest form, in bytes; what is longer is cut and ends with "…".
  static constexpr std::size_t kMostText = 500;
  // Of a list, the elements that are named; then how many more there are.
  static constexpr std::size_t kMostElements = 20;

  // Bytes that are no UTF-8, and control characters, are shown as \xNN. REQUIRES: `name` is a word
  // of ours.
  AuditFacts& Add(std::string_view name, std::string_view text) &;
  AuditFacts& Add(std::string_view name, std::int64_t number) &;
  AuditFacts& Add(std::string_view name, std::span<const std::string> texts) &;
  // Nothing is added for nullopt.
  AuditFacts& Add(std::string_view name, std::optional<std::int64_t> number) &;

  // {"name":"text","name":1,…}
  std::string ToJson() const { return "{" + members_ + "}"; }

 private:
  void Begin(std::string_view name);
  std::string members_;
};

}  // namespace koya
