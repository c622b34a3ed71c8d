#include "api/common/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/encoding.h"
#include "base/secrets.h"
#include "base/text.h"

namespace koya::api {
namespace {

constexpr std::size_t kLongestValue = 1000;

Result<std::string> Decode(std::string_view name, std::string_view text) {
  if (text.size() > kLongestValue) {
    return FailInvalid("the parameter \"{}\" is longer than {} bytes", name, kLongestValue);
  }
  std::optional<std::string> out = DecodeUrlEncoded(text);
  if (!out) {
    return FailInvalid(
        "the parameter \"{}\" has a \"%\" without two hexadecimal digits "
        "after it: write %25 for a percent sign",
        name);
  }
  if (!IsPlainText(*out)) {
    return FailInvalid("the parameter \"{}\" must be UTF-8 text without control characters", name);
  }
  return *std::move(out);
}

constexpr std::size_t kQuoted = 40;  // bytes of a name in a message

// Of a name or a value; `name` is "" while it is the name that is read.
Failure BadFormField(std::string_view name, std::string_view trouble) {
  std::string which =
      name.empty() ? "a field's name" : fmt::format("the field \"{}\"", Printable(name, kQuoted));
  return FailInvalid("{} in the form {}", which, trouble);
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

std::optional<std::string> DecodeUrlEncoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

Result<std::optional<std::string>> QueryParameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    std::size_t end = query.find('&');
    std::string_view pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    std::string_view raw =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    ASSIGN_OR_RETURN(std::string value, Decode(name, raw));
    return std::optional(std::move(value));
  }
  return std::optional<std::string>();
}

Result<std::uint64_t> QueryNumber(std::string_view query, std::string_view name,
                                  std::uint64_t fallback) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(query, name));
  if (!text) return fallback;
  std::uint64_t value = 0;
  const char* end = text->data() + text->size();
  auto [stopped, ec] = std::from_chars(text->data(), end, value);
  constexpr std::uint64_t kMost = 1'000'000'000;
  if (ec != std::errc() || stopped != end || value > kMost) {
    return FailInvalid("the parameter \"{}\" must be a whole number up to {}, not \"{}\"", name,
                       kMost, Printable(*text, 40));
  }
  return value;
}

Form::~Form() {
  for (auto& [name, value] : fields_) WipeSecret(value);
}

Result<Form> Form::Parse(std::string_view text, std::size_t most) {
  if (text.size() > most) {
    return FailInvalid("the form is larger than {} bytes, the limit for forms here", most);
  }
  Form form;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('&'), text.size());
    std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    if (form.fields_.size() == kMostFields) {
      return FailInvalid("the form has more than {} fields, the limit for forms here", kMostFields);
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

std::vector<std::string> SplitField(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace koya::api
