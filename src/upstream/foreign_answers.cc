#include "upstream/foreign_answers.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/text.h"
#include "domain/version.h"
#include "wire/providers.h"

namespace koya::upstream {
namespace {

// As Go's bytes.Fields does for ASCII.
constexpr std::string_view kSpace = " \t\v\f\r\n";

// Takes the next field off `line`; "" when there is none.
std::string_view TakeField(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  std::string_view field = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(field.size());
  return field;
}

}  // namespace

std::optional<Digest> ReadHexDigest(std::string_view text) {
  if (text.size() != 64) return std::nullopt;
  auto digest = Digest::Parse(AsciiLower(text));
  return digest ? std::optional(*digest) : std::nullopt;
}

ForeignSums ReadForeignSums(std::string_view text) {
  ForeignSums sums;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    // What follows the last line feed is a line only if there is something.
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    std::string_view digest = TakeField(line);
    std::string_view name = TakeField(line);
    if (digest.empty()) {
      sums.blank_lines = true;
    } else if (name.empty()) {
      sums.odd_lines = true;
    } else {
      sums.odd_lines = sums.odd_lines || !ReadHexDigest(digest);
      sums.lines.push_back({digest, name});
    }
  }
  return sums;
}

std::optional<ForeignSums::Found> ForeignSums::Find(std::string_view name) const {
  auto line = std::ranges::find(lines, name, &Line::name);
  if (line == lines.end()) return std::nullopt;
  auto digest = ReadHexDigest(line->digest);
  return digest ? Found{true, *digest} : Found{};
}

std::size_t DropUnusableVersions(wire::ProviderVersions& document) {
  std::unordered_set<std::string> seen;
  return std::erase_if(document.versions, [&](const wire::ProviderVersion& each) {
    return !Version::Parse(each.version) || !seen.insert(each.version).second;
  });
}

}  // namespace koya::upstream
