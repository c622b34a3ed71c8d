#include <fmt/format.h>

#include "api/operations.h"
#include "api/routes.h"
#include "http/server/head_parser.h"

namespace koya::api {

std::string_view AccessName(Access access) {
  switch (access) {
    case Access::kOpen:
      return "everyone; credentials are ignored";
    case Access::kPage:
      return "browsers: a cookie identifies the user, credentials are ignored, and errors are "
             "pages";
    case Access::kRead:
      return "everyone; a token, if sent, must be valid";
    case Access::kBrowse:
      return "browsers: a signed-in user sees the pages that their account can read; a token, if "
             "sent, must be valid; errors are pages";
    case Access::kSignedUrl:
      return "everyone, and any holder of a capability URL; a token, if sent, must be valid";
    case Access::kSelf:
      return "a token of an account, for its own resources; else a token with the scope admin, for "
             "all namespaces";
    case Access::kPublish:
      return "a token with the scope publish, for the namespace";
    case Access::kOwner:
      return "a token with the scope publish of an account that owns the namespace; else one with "
             "the scope admin, for the namespace";
    case Access::kNamespaceAdmin:
      return "a token with the scope admin, for the namespace";
    case Access::kGrant:
      return "a token with the scope admin, within its own namespaces";
    case Access::kAdmin:
      return "a token with the scope admin, for all namespaces";
  }
  return "";
}

std::string_view DetailsOf(const Route& route) {
  std::string heading = fmt::format("## {} {}\n\n", http::MethodName(route.method), route.pattern);
  std::string_view all = RouteDetails();
  std::size_t begin = all.find(heading);
  if (begin == all.npos) return {};
  std::string_view text = all.substr(begin + heading.size());
  text = text.substr(0, text.find("\n## "));
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

namespace {

constexpr std::string_view kTitle = R"(# The HTTP API

Generated from the route table (`koya docs api`); do not edit. `GET /api/openapi.json` is the same for programs, as OpenAPI 3.1,
and `/-/docs/api` for readers, with a command to try each.

)";

// The notation of blocks (operations.h), for readers of the page.
constexpr std::string_view kNotation = R"(
The block of a route has its id, its parameters and its responses: `?name` is a query parameter, `?name!` a required one,
`= 15` its default; `body` is sent as JSON, `body?` is optional, `form` is sent as a form, and `@application/zip` are
bytes; a status has the body of its response, and errors have the document above. `a?: text` is optional, `[text]` is a list,
`{*: text}` has any names, `1..100` is a number within these bounds, `A | B` is either; `/api/openapi.json` defines the named
documents. In addition, 401 and 403 are possible wherever a token is checked, and 413 wherever a body is sent.

)";

}  // namespace

std::string ApiMarkdown() {
  std::string out(kTitle);
  out.append(ApiPreface()).append(kNotation);
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
