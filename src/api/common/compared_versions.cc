#include "api/common/compared_versions.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "api/common/query.h"

namespace koya::api {
namespace {

Result<Version> ReadComparedVersion(const http::Request& request, std::string_view name) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(request.query, name));
  if (!text || text->empty()) {
    return Fail(
        ErrorKind::kInvalid,
        fmt::format("the parameter \"{}\" is missing: it is the version to compare {}, as in "
                    "?from=1.0.0&to=1.1.0",
                    name, name == "from" ? "from" : "with"));
  }
  Result<Version> version = Version::ParseLookup(*text);
  if (version) return version;
  return Fail(ErrorKind::kInvalid, fmt::format("the parameter \"{}\" isn't a version: {}", name,
                                               version.error().message));
}

}  // namespace

Result<ComparedVersions> ReadComparedVersions(const http::Request& request) {
  ASSIGN_OR_RETURN(Version from, ReadComparedVersion(request, "from"));
  ASSIGN_OR_RETURN(Version to, ReadComparedVersion(request, "to"));
  return ComparedVersions{std::move(from), std::move(to)};
}

}  // namespace koya::api
