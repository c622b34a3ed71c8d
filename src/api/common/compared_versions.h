// Parser of the two versions in ?from=&to=.
#pragma once

#include <string>

#include "base/result.h"
#include "domain/version.h"
#include "http/server/message.h"

namespace koya::api {

struct ComparedVersions {
  Version from;
  Version to;

  // The cache variant: all lenient spellings lead to one document.
  std::string Variant() const { return from.ToString() + " " + to.ToString(); }
};

// Fails: kInvalid, naming the parameter.
Result<ComparedVersions> ReadComparedVersions(const http::Request& request);

}  // namespace koya::api
