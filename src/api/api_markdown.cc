#include <fmt/format.h>

#include "api/routes.h"
#include "http/server/head_parser.h"

namespace koya::api {
namespace {

std::string_view AccessName(Access access) {
  switch (access) {
    case Access::kOpen:
      return "anybody; credentials are ignored";
    case Access::kPage:
      return "people, in a browser: a cookie says who is signed in, credentials are ignored, and "
             "errors are pages";
    case Access::kRead:
      return "anybody; a token that is sent must be good";
    case Access::kBrowse:
      return "people, in a browser: whoever is signed in may see what their account may; a token "
             "that is sent must be good; errors are pages";
    case Access::kLinked:
      return "anybody, and whoever has a capability URL; a token that is sent must be good";
    case Access::kOneself:
      return "a token of an account, for what is its own; else a token with the scope admin, for "
             "all "
             "namespaces";
    case Access::kPublish:
      return "a token with the scope publish, for the namespace";
    case Access::kAdmin:
      return "a token with the scope admin, for the namespace";
    case Access::kGrant:
      return "a token with the scope admin, within its own namespaces";
    case Access::kEverything:
      return "a token with the scope admin, for all namespaces";
  }
  return "";
}

constexpr std::string_view kPreface = R"(# The HTTP API

Made from the route table (`koya docs api`); do not edit.

- A token goes into `Authorization: Bearer koya_…`. One that is sent is checked, whatever is asked for: unknown,
  expired or revoked, it is answered 401. While the catalog does not answer, one that cannot be checked counts as none.
- Every failure is `{"errors": ["sentence", …]}` with `application/json`. A sentence says what was
  wrong, where, and what to do.
- Every answer has `X-Request-Id`; the log line of the request has the same.
- GET routes answer HEAD too. Documents have a strong `ETag`, answer `If-None-Match` with 304, and
  come gzipped to those who accept it.

)";

// What stands below the route's heading; "" where there is none.
std::string_view DetailsOf(const Route& route) {
  std::string heading = fmt::format("## {} {}\n\n", http::MethodName(route.method), route.pattern);
  std::string_view all = RouteDetails();
  std::size_t begin = all.find(heading);
  if (begin == all.npos) return {};
  std::string_view text = all.substr(begin + heading.size());
  text = text.substr(0, text.find("\n## "));
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

}  // namespace

std::string ApiMarkdown() {
  std::string out(kPreface);
  for (const Route& route : Routes()) {
    out += fmt::format("## `{} {}`\n\n{}.\n\nWho: {}.\n", http::MethodName(route.method),
                       route.pattern, route.summary, AccessName(route.access));
    std::string_view details = DetailsOf(route);
    if (!details.empty()) out += fmt::format("\n{}\n", details);
    out += "\n";
  }
  out.pop_back();
  return out;
}

}  // namespace koya::api
