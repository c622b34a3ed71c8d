#include "api/common/kept_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/common/form.h"
#include "base/base64.h"
#include "base/percent_encoding.h"
#include "web/common/view_parts.h"

namespace koya::api {
namespace {

bool IsTokenCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

// Pasted where it does not belong: a private key, or a token (auth/token.h).
bool MayBeSecret(std::string_view value) {
  constexpr std::string_view kBegin = "koya_";
  constexpr std::ptrdiff_t kLength = 43;
  if (value.contains("PRIVATE KEY")) return true;
  for (std::size_t at = value.find(kBegin); at != value.npos; at = value.find(kBegin, at + 1)) {
    const std::string_view rest = value.substr(at + kBegin.size());
    if (std::ranges::find_if_not(rest, IsTokenCharacter) - rest.begin() >= kLength) return true;
  }
  return false;
}

}  // namespace

std::string RefilledPath(std::string_view path, const Form& form,
                         std::span<const std::string_view> kept, std::size_t most) {
  std::string refilled(path);
  for (std::string_view name : kept) {
    const std::string& value = form.Get(name);
    if (!form.Has(name) || value.size() > most || MayBeSecret(value)) continue;
    refilled = web::PathWith(refilled, name, value);
  }
  return refilled;
}

bool IsLongForm(const Form& form, std::span<const std::string_view> kept) {
  return std::ranges::any_of(
      kept, [&form](std::string_view name) { return form.Get(name).size() > kMostInAddress; });
}

std::string KeepForm(const Form& form, std::span<const std::string_view> kept) {
  std::string fields;
  for (std::string_view name : kept) {
    const std::string& value = form.Get(name);
    if (!form.Has(name) || MayBeSecret(value)) continue;
    std::string field =
        fmt::format("{}{}={}", fields.empty() ? "" : "&", name, PercentEncode(value));
    if (fields.size() + field.size() <= kMostKeptBytes) fields += field;
  }
  return Base64UrlEncode(std::as_bytes(std::span(fields)));
}

Result<Form> ReadKeptForm(std::string_view text) {
  const std::optional<std::string> fields = Base64UrlDecode(text);
  if (!fields || fields->size() > kMostKeptBytes) {
    return Fail(ErrorKind::kInvalid, "the field \"kept\" was altered");
  }
  return Form::Parse(*fields);
}

}  // namespace koya::api
