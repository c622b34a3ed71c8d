// Forms: an accepted one is UTF-8 without zero bytes, has each name once and is within the limits,
// and reads the same when it is written again, and as a query does. Duplicates are rejected.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/common/query.h"
#include "base/text.h"

namespace {

// The names that the harness looks for; a form may have others.
constexpr std::string_view kNames[] = {"a", "b", "to", "csrf", "state"};

std::string Escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

// A form twice over has each of its names twice.
void CheckRepetition(std::string_view text, const koya::api::Form& form) {
  const std::string twice = std::string(text) + "&" + std::string(text);
  const auto read = koya::api::Form::Parse(twice);
  if (form.size() > 0 && read) std::abort();
  if (form.size() == 0 && !read && twice.size() <= koya::api::Form::kMostBytes) std::abort();
}

// Where a query takes a value that a form has under the same plain name, it is that value.
void CheckAgreement(std::string_view text, const koya::api::Form& form) {
  for (std::string_view name : kNames) {
    const auto value = koya::api::QueryParameter(text, name);
    if (value && *value && **value != form.Get(name)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto form = koya::api::Form::Parse(text);
  if (!form) {
    if (form.error().message.empty()) std::abort();  // a refusal without a reason
    return 0;
  }
  if (size > koya::api::Form::kMostBytes) std::abort();
  if (form->size() > koya::api::Form::kMostFields) std::abort();
  CheckRepetition(text, *form);
  CheckAgreement(text, *form);
  std::string again;
  for (std::string_view name : kNames) {
    const std::string& value = form->Get(name);
    if (!koya::IsUtf8(value) || value.contains('\0')) std::abort();
    again += std::string(again.empty() ? "" : "&") + std::string(name) + "=" + Escaped(value);
  }
  if (again.size() > koya::api::Form::kMostBytes) return 0;
  const auto read = koya::api::Form::Parse(again);
  if (!read) std::abort();
  for (std::string_view name : kNames) {
    if (read->Get(name) != form->Get(name)) std::abort();
  }
  return 0;
}
