// Formats rejections: one pattern for "the archive …" and one for "entry … …".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace koya {

// For an entry in a module's archive.
inline constexpr std::string_view kSymbolicLink =
    "is a symbolic link, which clients unpack as an empty file or as one that holds the target's "
    "name; give the module's folder to \"koya publish module FOLDER ADDRESS VERSION\", which packs "
    "a copy of what a link leads to, or pack one yourself (tar --dereference)";

// "the archive <rule>": a fault of the whole archive, and its remedy.
inline Failure RefuseArchive(std::string_view rule, LimitName limit = {}) {
  return FailLimit(ErrorKind::kRefused, limit, "the archive " + std::string(rule));
}

// "entry "main.tf" <rule>": a fault of one entry, and its remedy.
inline Failure RefuseEntry(std::string_view name, std::string_view rule, LimitName limit = {}) {
  return FailLimit(ErrorKind::kRefused, limit,
                   "entry \"" + Printable(name) + "\" " + std::string(rule));
}

}  // namespace koya
