// How this folder says no: one shape for "the archive …" and one for "entry … …".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace koya {

// "the archive <rule>": what is wrong with the whole, and how to mend it.
inline Failure RefuseArchive(std::string_view rule, LimitName limit = {}) {
  return FailLimit(ErrorKind::kRefused, limit, "the archive " + std::string(rule));
}

// "entry "main.tf" <rule>": what is wrong with one entry, and how to mend it.
inline Failure RefuseEntry(std::string_view name, std::string_view rule, LimitName limit = {}) {
  return FailLimit(ErrorKind::kRefused, limit,
                   "entry \"" + Printable(name) + "\" " + std::string(rule));
}

}  // namespace koya
