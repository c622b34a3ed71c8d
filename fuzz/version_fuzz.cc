// Versions: an accepted one is canonical, and the order over two of them is a total order.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "domain/version.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(text.find('\n'), text.size());
  const auto first = koya::Version::Parse(text.substr(0, cut));
  const auto second = koya::Version::Parse(text.substr(std::min(cut + 1, text.size())));
  if (first) {
    if (first->ToString() != text.substr(0, cut)) std::abort();
    const auto lookup = koya::Version::ParseLookup("v" + first->ToString());
    if (!lookup || *lookup != *first) std::abort();
    if (!koya::Version::Parse(first->PrecedenceKey())) std::abort();
  } else if (first.error().message.empty()) {
    std::abort();  // a refusal without a reason
  }
  if (first && second) {
    const bool less = *first < *second;
    const bool greater = *first > *second;
    const bool equal = *first == *second;
    if (less + greater + equal != 1) std::abort();
    if (greater != (*second < *first)) std::abort();
    if (equal != (first->ToString() == second->ToString())) std::abort();
  }
  return 0;
}
