#include "api/common/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/common/query.h"
#include "base/secrets.h"
#include "base/text.h"

namespace koya::api {
namespace {

constexpr std::size_t kQuoted = 40;  // bytes of a name in a message

// Of a name or a value; `name` is "" while it is the name that is read.
Failure BadFormField(std::string_view name, std::string_view trouble) {
  std::string which =
      name.empty() ? "a field's name" : fmt::format("the field \"{}\"", Printable(name, kQuoted));
  return Fail(ErrorKind::kInvalid, fmt::format("{} in the form {}", which, trouble));
}

Result<std::string> DecodeFormText(std::string_view text, std::string_view name) {
  std::optional<std::string> out = DecodeUrlEncoded(text);
  if (!out) {
    return BadFormField(name,
                        "has a \"%\" without two hexadecimal digits after it: write %25 for a "
                        "percent sign");
  }
  if (out->contains('\0')) return BadFormField(name, "has a zero byte");
  if (!IsUtf8(*out)) return BadFormField(name, "is not UTF-8");
  return *std::move(out);
}

}  // namespace

Form::~Form() {
  for (auto& [name, value] : fields_) WipeSecret(value);
}

Result<Form> Form::Parse(std::string_view text) {
  if (text.size() > kMostBytes) {
    return Fail(
        ErrorKind::kInvalid,
        fmt::format("the form is larger than {} bytes, the limit for forms here", kMostBytes));
  }
  Form form;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('&'), text.size());
    std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    if (form.fields_.size() == kMostFields) {
      return Fail(
          ErrorKind::kInvalid,
          fmt::format("the form has more than {} fields, the limit for forms here", kMostFields));
    }
    std::size_t equals = std::min(pair.find('='), pair.size());
    ASSIGN_OR_RETURN(std::string name, DecodeFormText(pair.substr(0, equals), {}));
    if (name.empty()) return BadFormField({}, "is empty");
    bool repeated = std::ranges::any_of(form.fields_,
                                        [&name](const auto& field) { return field.first == name; });
    if (repeated) return BadFormField(name, "occurs more than once: send it once");
    std::string_view raw = pair.substr(std::min(equals + 1, pair.size()));
    ASSIGN_OR_RETURN(std::string value, DecodeFormText(raw, name));
    form.fields_.emplace_back(std::move(name), std::move(value));
  }
  return form;
}

const std::string& Form::Get(std::string_view name) const {
  static const std::string kNothing;
  auto found =
      std::ranges::find_if(fields_, [name](const auto& field) { return field.first == name; });
  return found == fields_.end() ? kNothing : found->second;
}

}  // namespace koya::api
