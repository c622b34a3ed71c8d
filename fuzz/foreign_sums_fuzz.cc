// SHA256SUMS documents as clients read them: the result is that of a plain reading of the lines,
// and nothing outside the text is read.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "upstream/foreign_answers.h"

namespace {

void Must(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace upstream = koya::upstream;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const upstream::ForeignSums sums = upstream::ReadForeignSums(text);
  for (const auto& line : sums.lines) {
    Must(!line.digest.empty() && !line.name.empty());
    Must(line.digest.data() >= text.data() && line.name.data() > line.digest.data());
    Must(line.name.data() + line.name.size() <= text.data() + text.size());
    const auto found = sums.Find(line.name);
    Must(found.has_value());
    if (!found->is_digest) Must(sums.odd_lines);
  }
  Must(!sums.Find("").has_value());
  // One more line feed at the end is a blank line, wherever the text ended in one.
  if (text.ends_with('\n')) {
    Must(upstream::ReadForeignSums(std::string(text) + "\n").blank_lines);
  }
  return 0;
}
