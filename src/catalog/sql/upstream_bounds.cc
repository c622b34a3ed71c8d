#include "catalog/sql/upstream_bounds.h"

#include <fmt/format.h>

#include "catalog/sql/text_column.h"

namespace koya::sql {

Status CheckText(std::string_view what, std::string_view text, std::size_t most) {
  if (text.size() > most) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("{} would take {} bytes, and {} are kept at most: tell its registry",
                            what, text.size(), most));
  }
  return CheckStorable(what, text);
}

Status CheckHeldSize(std::string_view what, std::uint64_t size, bool held) {
  if (size > kMostBytes) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("{} cannot be {} bytes long: tell its registry", what, size));
  }
  if (!held || size > 0) return {};
  return Fail(
      ErrorKind::kInvalid,
      fmt::format("{} is held, so its size must be known: say how many bytes it has", what));
}

std::string_view KeptValidator(std::string_view text) {
  if (text.size() > kMostValidator || !IsStorable(text)) return {};
  return text;
}

}  // namespace koya::sql
