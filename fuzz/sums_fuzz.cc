// SHA256SUMS documents: one without problems is written again to the same lines, and one with
// problems has them reported.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "signing/sha256sums.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace signing = koya::signing;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const signing::SumsReading reading = signing::ReadSums(text);
  if (reading.problems.size() > 21) std::abort();
  for (const std::string& problem : reading.problems) {
    if (problem.empty() || problem.size() > 2000) std::abort();
  }
  const std::string again = signing::WriteSums(reading.lines);
  const signing::SumsReading reread = signing::ReadSums(again);
  if (reread.lines.size() != reading.lines.size()) std::abort();
  if (!std::ranges::is_permutation(reread.lines, reading.lines)) std::abort();
  if (reread.problems.empty() == reading.lines.empty()) std::abort();
  // Nothing is lost in what had no problem.
  if (reading.problems.empty() && again.size() != text.size()) std::abort();
  if (signing::WriteSums(reread.lines) != again) std::abort();
  return 0;
}
