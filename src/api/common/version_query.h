// Parsers of versions in the query: the two that are compared, and the filter of a list of
// versions.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "domain/version.h"
#include "domain/version_constraint.h"
#include "http/server/message.h"

namespace koya::api {

// ---- ?from=&to=

struct ComparedVersions {
  Version from;
  Version to;

  // The cache variant: all lenient spellings lead to one document.
  std::string Variant() const { return from.ToString() + " " + to.ToString(); }
};

// Fails: kInvalid, naming the parameter.
Result<ComparedVersions> ReadComparedVersions(const http::Request& request);

// ---- ?filter=: a part of their numbers or a constraint

class VersionFilter {
 public:
  // Fails: kInvalid.
  static Result<VersionFilter> Read(const http::Request& request);

  bool Takes(const Version& version) const;
  // The filter as the reader typed it; "": all versions.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::optional<VersionConstraint> constraint_;
};

}  // namespace koya::api
