// Parses XML responses of object stores: elements and their text. Skips attributes, comments,
// processing instructions and namespace prefixes. Supports no DTD, so the only entities are the
// five of XML itself and numeric characters; no input can expand.
//
// Pure: any thread. Limits: kMaxBytes of text, kMaxDepth, kMaxElements.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::s3 {

struct XmlElement {
  static constexpr std::size_t kMaxBytes = 4 << 20;  // a page of 1,000 keys is a few hundred KiB
  static constexpr std::size_t kMaxDepth = 16;
  static constexpr std::size_t kMaxElements = 50'000;

  std::string name;  // without its prefix
  std::string text;  // all of its own, including text between children
  std::vector<XmlElement> children;

  // Fails: kInvalid when the inspected parts are not well-formed, or a limit is exceeded.
  static Result<XmlElement> Parse(std::string_view document);

  // The first child of this name, or null.
  const XmlElement* FindChild(std::string_view child) const;
  // Text of that child, or "".
  std::string_view TextOf(std::string_view child) const;
};

}  // namespace koya::s3
