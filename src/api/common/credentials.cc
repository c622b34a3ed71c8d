#include "api/common/credentials.h"

#include "api/common/route.h"

namespace koya::api {

std::optional<std::string_view> FindCredentials(Access access, const http::Request& request,
                                                auth::BasicBuffer& buffer) {
  std::optional<std::string_view> field = request.FindField("Authorization");
  if (!field || !IsReading(access) || !auth::IsBasic(*field)) return field;
  return auth::BearerOfBasic(*field, buffer);
}

bool HasCredentials(Access access, const http::Request& request) {
  auth::BasicBuffer buffer;
  return FindCredentials(access, request, buffer).has_value();
}

}  // namespace koya::api
