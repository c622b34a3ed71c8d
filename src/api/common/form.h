// Forms (application/x-www-form-urlencoded) in a body or a query, from browsers and clients.
// Strict: ambiguous input is rejected.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace koya::api {

// Wipes its values when it is destroyed, since they may be secrets.
class Form {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMostFields = 64;

  // Decodes percent-encoding once; "+" is a space. Fails: kInvalid: over one of the limits, a name
  // that occurs twice, broken percent-encoding, a zero byte, or invalid UTF-8. Messages quote
  // names, never values.
  static Result<Form> Parse(std::string_view text);

  Form(Form&&) noexcept = default;
  Form& operator=(Form&&) noexcept = default;
  ~Form();

  // "" if the field is absent or empty.
  const std::string& Get(std::string_view name) const;
  std::size_t size() const { return fields_.size(); }

 private:
  Form() = default;
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace koya::api
