// Finds possible declarations in a file that could not be parsed, however broken the rest is. It
// finds too many rather than too few. Pure; time is linear in the text's length, memory bounded by
// kMost.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace koya::inspect {

// Names of declarations:
//   "variable cidr", "output id", "module.subnets", "aws_vpc.main", "data.aws_ami.x",
//   "required aws" (in required_providers), "provider aws" (that, and any use of it),
//   "required_version", "required_opentofu", "moved", "removed".
class DeclarationScan {
 public:
  static constexpr std::size_t kMost = 100'000;  // declarations
  static constexpr std::size_t kLongestName = 200;

  // Ignores comments, strings and heredocs of the native syntax; a heredoc ends at the line with
  // its end marker.
  void Add(std::string_view text, bool json);

  // Each once. `beyond`: there were more.
  const std::set<std::string>& found() const { return found_; }
  bool beyond() const { return beyond_; }

 private:
  class Native;
  class Json;
  void AddDeclaration(std::string declaration);

  std::set<std::string> found_;
  bool beyond_ = false;
};

}  // namespace koya::inspect
