// The facts of an audit entry about a thing before or after a change: a small JSON object with the
// facts in the order in which they are added.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koya {

class AuditFacts {
 public:
  // The maximum length of a text, in bytes; a longer text is cut and ends with "…".
  static constexpr std::size_t kMostText = 500;
  // The number of a list's elements that are named; the number of the others follows.
  static constexpr std::size_t kMostElements = 20;

  // Bytes that are not UTF-8, and control characters, are shown as \xNN. REQUIRES: `name` is a
  // constant of the code.
  AuditFacts& Add(std::string_view name, std::string_view text) &;
  AuditFacts& Add(std::string_view name, std::int64_t number) &;
  AuditFacts& Add(std::string_view name, std::span<const std::string> texts) &;
  // nullopt adds nothing.
  AuditFacts& Add(std::string_view name, std::optional<std::int64_t> number) &;

  // {"name":"text","name":1,…}
  std::string ToJson() const { return "{" + members_ + "}"; }

 private:
  void Begin(std::string_view name);
  std::string members_;
};

// The facts that ToJson wrote: names and values as text, the elements of a list separated by ", ".
// Stops at what ToJson does not write.
std::vector<std::pair<std::string, std::string>> ReadAuditFacts(std::string_view json);

}  // namespace koya
