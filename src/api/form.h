// Forms as browsers and clients send them (application/x-www-form-urlencoded), in a body or as a
// query. Strict: what could be read in two ways is refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace koya::api {

// Its values may be secrets: they are wiped when it goes.
class Form {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMostFields = 64;

  // Percent-encoding is undone once, "+" is a space. Fails (kInvalid): over one of the bounds, a
  // name that occurs twice, broken percent-encoding, a zero byte or what is no UTF-8. Messages
  // quote names, never values.
  static Result<Form> Parse(std::string_view text);

  Form(Form&&) noexcept = default;
  Form& operator=(Form&&) noexcept = default;
  ~Form();

  // "" where there is no such field, or nothing in it.
  const std::string& Get(std::string_view name) const;
  // Whether there is such a field, with something in it or not.
  bool Has(std::string_view name) const;
  std::size_t size() const { return fields_.size(); }

 private:
  Form() = default;
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace koya::api
