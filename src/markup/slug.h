// Names for anchors in a page, as GitHub derives them from headings, so that links written for
// GitHub work. One thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace koya::markup {

// The prefix of every name from untrusted text: it keeps them apart from the page's own names.
inline constexpr std::string_view kUserPrefix = "user-";

// "Inputs & Outputs" → "inputs--outputs": lower case, blanks as "-"; otherwise only letters of any
// script, digits, "-" and "_" are kept. May be empty. At most 200 bytes.
std::string Slug(std::string_view heading);

// Lower case in every script; invalid UTF-8 becomes U+FFFD.
std::string LowerCase(std::string_view text);

// "user-" and `name` without blanks and characters that could end an attribute; empty when nothing
// is left.
std::string UserName(std::string_view name);

// Gives each anchor of a page a unique name.
class PlaceNames {
 public:
  // "user-" and `slug`, with "-1", "-2", … when it is already used.
  std::string Take(std::string_view slug);
  // Takes exactly this name; false when it is already used, or when there are too many (20,000).
  bool TakeExactly(const std::string& name);
  // Every name by its lower-case form; of several the first in bytes.
  std::map<std::string, std::string> ByLowerCase() const;
  bool Has(const std::string& name) const { return taken_.contains(name); }

 private:
  std::unordered_map<std::string, unsigned> taken_;  // and its last number
};

}  // namespace koya::markup
