// Filter of a list of versions, from ?filter=: a part of their numbers or a constraint.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "domain/version.h"
#include "domain/version_constraint.h"
#include "http/server/message.h"

namespace koya::api {

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
