#include "api/common/version_filter.h"

#include "api/common/query.h"

namespace koya::api {
namespace {

constexpr std::size_t kLongestVersionFilter = 200;

}  // namespace

Result<VersionFilter> VersionFilter::Read(const http::Request& request) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(request.query, "filter"));
  VersionFilter filter;
  filter.text_ = text.value_or("");
  if (filter.text_.size() > kLongestVersionFilter) {
    return Fail(ErrorKind::kInvalid,
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
