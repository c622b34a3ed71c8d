#include "inspect/contents.h"

#include <fmt/format.h>

#include <algorithm>

namespace koya::inspect {

std::string Place::ToString() const { return line == 0 ? file : fmt::format("{}:{}", file, line); }

std::string Warning::ToString() const {
  return place.file.empty() ? what : fmt::format("{}: {}", place.ToString(), what);
}

std::string Repetition::Kind() const {
  if (!count.empty()) return "count";
  if (!for_each.empty()) return "for_each";
  return enabled.empty() ? "" : "enabled";
}

std::string Resource::Address() const {
  return mode == "managed" ? fmt::format("{}.{}", type, name)
                           : fmt::format("{}.{}.{}", mode, type, name);
}

bool ModulePart::MayDeclare(const std::string& declaration) const {
  return undecided_beyond || std::ranges::binary_search(undecided, declaration);
}

}  // namespace koya::inspect
