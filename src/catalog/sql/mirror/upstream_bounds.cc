#include "catalog/sql/mirror/upstream_bounds.h"

#include <fmt/format.h>

#include "catalog/sql/engine/text_column.h"

namespace koya::sql {

Status CheckText(std::string_view what, std::string_view text, std::size_t most) {
  if (text.size() > most) {
    return Fail(
        ErrorKind::kTooLarge,
        fmt::format("{} would take {} bytes, and the limit is {}: report this to its registry",
                    what, text.size(), most));
  }
  return CheckStorable(what, text);
}

Status CheckHeldSize(std::string_view what, std::uint64_t size, bool held) {
  if (size > kMostBytes) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("{} cannot be {} bytes long: report this to its registry", what, size));
  }
  if (!held || size > 0) return {};
  return FailInvalid("{} is stored, so its size must be known: state its size in bytes", what);
}

std::string_view KeptValidator(std::string_view text) {
  if (text.size() > kMostValidator || !IsStorable(text)) return {};
  return text;
}

}  // namespace koya::sql
