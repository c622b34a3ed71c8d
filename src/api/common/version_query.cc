#include "api/common/version_query.h"

#include <optional>
#include <string_view>
#include <utility>

#include "api/common/query.h"

namespace koya::api {
namespace {

Result<Version> ReadComparedVersion(const http::Request& request, std::string_view name) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(request.query, name));
  if (!text || text->empty()) {
    return FailInvalid(
        "the parameter \"{}\" is missing: it is the version to compare {}, as in "
        "?from=1.0.0&to=1.1.0",
        name, name == "from" ? "from" : "with");
  }
  Result<Version> version = Version::ParseLookup(*text);
  if (version) return version;
  return FailInvalid("the parameter \"{}\" isn't a version: {}", name, version.error().message);
}

constexpr std::size_t kLongestVersionFilter = 200;

}  // namespace

Result<ComparedVersions> ReadComparedVersions(const http::Request& request) {
  ASSIGN_OR_RETURN(Version from, ReadComparedVersion(request, "from"));
  ASSIGN_OR_RETURN(Version to, ReadComparedVersion(request, "to"));
  return ComparedVersions{std::move(from), std::move(to)};
}

Result<VersionFilter> VersionFilter::Read(const http::Request& request) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(request.query, "filter"));
  VersionFilter filter;
  filter.text_ = text.value_or("");
  if (filter.text_.size() > kLongestVersionFilter) {
    return FailInvalid(
        "the parameter \"filter\" is too long: use a part of a version, or a constraint "
        "such as ~> 2.0");
  }
  if (filter.text_.find_first_of("<>=!~") == std::string::npos) return filter;
  ASSIGN_OR_RETURN(filter.constraint_, VersionConstraint::Parse(filter.text_));
  return filter;
}

bool VersionFilter::Takes(const Version& version) const {
  if (constraint_) return constraint_->Allows(version);
  return text_.empty() || version.ToString().contains(text_);
}

}  // namespace koya::api
