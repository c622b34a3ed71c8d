// Forms: what is taken is UTF-8 without zero bytes, each name once and within the bounds, and reads
// the same when it is written again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/form.h"
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
