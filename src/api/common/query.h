// Parses what is URL-encoded: the query of a request's target, and forms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace koya::api {

// Decodes "%XX" and "+" (application/x-www-form-urlencoded); nullopt: a "%" without two hexadecimal
// digits after it. Leaves no copy of a secret behind while the result grows.
std::optional<std::string> DecodeUrlEncoded(std::string_view text);

// The decoded value of the first parameter called `name`, "+" read as a space; nullopt when it is
// absent. Fails: kInvalid (broken percent-encoding, not plain text, or over 1,000 bytes).
Result<std::optional<std::string>> QueryParameter(std::string_view query, std::string_view name);

// A whole number parameter; `fallback` when absent. Fails: kInvalid.
Result<std::uint64_t> QueryNumber(std::string_view query, std::string_view name,
                                  std::uint64_t fallback);

// ---- forms (application/x-www-form-urlencoded) in a body or a query, from browsers and clients.
// Strict: ambiguous input is rejected.

// Wipes its values when it is destroyed, since they may be secrets.
class Form {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMostFields = 64;

  // Decodes percent-encoding once; "+" is a space. Fails: kInvalid: over `most` bytes or
  // kMostFields, a name that occurs twice, broken percent-encoding, a zero byte, or invalid UTF-8.
  // Messages quote names, never values.
  static Result<Form> Parse(std::string_view text, std::size_t most = kMostBytes);

  Form() = default;  // without fields
  Form(Form&&) noexcept = default;
  Form& operator=(Form&&) noexcept = default;
  ~Form();

  // "" if the field is absent or empty.
  const std::string& Get(std::string_view name) const;
  std::size_t size() const { return fields_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// The parts of a field with several values, between any of `separators`, without empty ones.
std::vector<std::string> SplitField(std::string_view text, std::string_view separators);

}  // namespace koya::api
