// Reads the XML that object stores answer: elements and their text. Attributes, comments,
// processing instructions and the prefixes of namespaces are skipped. There is no DTD, so no entity
// but the five of XML itself and characters by number; nothing can grow by being read.
//
// Pure: any thread. Bounds: kMaxBytes of text, kMaxDepth, kMaxElements.
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
  std::string text;  // all of its own, that between its children included
  std::vector<XmlElement> children;

  // Fails: kInvalid when it is not well-formed as far as it is looked at, or over a bound.
  static Result<XmlElement> Parse(std::string_view document);

  // The first child called so, or null.
  const XmlElement* Find(std::string_view child) const;
  // Its text, or "".
  std::string_view TextOf(std::string_view child) const;
};

}  // namespace koya::s3
