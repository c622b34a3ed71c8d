// Version constraints: an accepted one selects versions without contradiction, and a rejection has
// a reason.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "domain/version_constraint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(text.find('\n'), text.size());
  const auto constraint = koya::VersionConstraint::Parse(text.substr(0, cut));
  if (!constraint && constraint.error().message.empty()) std::abort();
  if (!constraint) return 0;
  const auto version = koya::Version::Parse(text.substr(std::min(cut + 1, text.size())));
  if (!version) return 0;
  const bool allowed = constraint->Allows(*version);
  const koya::Version one[] = {*version};
  if (constraint->Newest(one).has_value() != allowed) std::abort();
  // The same once more changes nothing, and neither does a version of its own beside it.
  auto both = *constraint;
  both.And(*constraint);
  if (both.Allows(*version) != allowed) std::abort();
  const auto exact = koya::VersionConstraint::Parse(version->ToString());
  if (!exact || !exact->Allows(*version)) std::abort();
  return 0;
}
