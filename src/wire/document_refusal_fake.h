// For tests: tables of documents that a decoder refuses.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::wire {

struct DocumentRefusal {
  std::string_view name;
  std::function<Status(std::string_view)> decode;
  std::string body;
  std::string_view message_part;
};

// A decoder of which only the refusal matters.
template <class T>
std::function<Status(std::string_view)> OnlyError(Result<T> (*decode)(std::string_view)) {
  return [decode](std::string_view body) -> Status {
    auto result = decode(body);
    if (!result) return std::unexpected(result.error());
    return {};
  };
}

}  // namespace koya::wire
