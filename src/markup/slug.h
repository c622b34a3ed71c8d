// Names for the places of a page, as GitHub makes them of headings, so that links written for it
// lead there. One thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace koya::markup {

// What every name of a stranger's text begins with: none is a name of the page's own.
inline constexpr std::string_view kUserPrefix = "user-";

// "Inputs & Outputs" → "inputs--outputs": small letters, blanks as "-"; of the rest letters of any
// script, digits, "-" and "_". May be empty. At most 200 bytes.
std::string Slug(std::string_view heading);

// In small letters of every script; what is no UTF-8 becomes U+FFFD.
std::string LowerCase(std::string_view text);

// "user-" and `name` without blanks and what could end an attribute; empty when nothing is left.
std::string UserName(std::string_view name);

// Gives each place of one page a name of its own.
class PlaceNames {
 public:
  // "user-" and `slug`, with "-1", "-2", … when that is taken.
  std::string Take(std::string_view slug);
  // Takes exactly this one; false when it is taken, or when there are too many (20,000).
  bool TakeExactly(const std::string& name);
  // Every name by what it is in small letters; of several the first in bytes.
  std::map<std::string, std::string> ByLowerCase() const;
  bool Has(const std::string& name) const { return taken_.contains(name); }

 private:
  std::unordered_map<std::string, unsigned> taken_;  // and the number that was given last
};

}  // namespace koya::markup
