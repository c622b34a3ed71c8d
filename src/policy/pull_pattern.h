// Patterns of a policy that select providers and modules of other registries.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::policy {

// A pattern of three parts (HOST/NAMESPACE/TYPE, providers) or four (HOST/NAMESPACE/NAME/SYSTEM,
// modules); "*" matches any run of characters within a part. Ignores letter case. Parts are
// normalised as addresses are, so that a pattern matches every spelling of a host or name.
class PullPattern {
 public:
  // Fails: kInvalid, saying what to write; also for a part that no address can have.
  static Result<PullPattern> Parse(std::string_view text);
  bool Matches(const std::vector<std::string>& parts) const;
  const std::string& text() const { return text_; }
  std::size_t size() const { return parts_.size(); }

 private:
  std::string text_;
  std::vector<std::string> parts_;
};

// "a/b/c" as {"a", "b", "c"}: the form in which patterns match the key of a provider or a module.
std::vector<std::string> AddressParts(std::string_view key);

}  // namespace koya::policy
