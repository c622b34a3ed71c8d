#include <fmt/format.h>

#include "api/operations.h"
#include "api/routes.h"
#include "http/server/head_parser.h"

namespace koya::api {

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
    case Access::kOwner:
      return "a token with the scope publish of an account that owns the namespace; else one with "
             "the scope admin, for the namespace";
    case Access::kAdmin:
      return "a token with the scope admin, for the namespace";
    case Access::kGrant:
      return "a token with the scope admin, within its own namespaces";
    case Access::kEverything:
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

Made from the route table (`koya docs api`); do not edit. `GET /api/openapi.json` is the same for programs, as OpenAPI 3.1, and
`/-/docs/api` for readers, with a command to try each.

)";

// How blocks are read: operations.h, for whoever reads the page.
constexpr std::string_view kNotation = R"(
What a route takes and answers stands in a block behind its id: `?name` is a parameter of the query, `?name!` one that is
needed, `= 15` what it is otherwise; `body` is sent as JSON, `body?` may be left out, `form` is sent as a form, and
`@application/zip` are bytes; a status has the body of its answer, and errors have the document of above. `a?: text` may be
missing, `[text]` is a list, `{*: text}` has any names, `1..100` is a number within these bounds, `A | B` is either; documents
with names are in `/api/openapi.json`. Besides, there are 401 and 403 wherever a token is looked at, and 413 wherever
something is sent.

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
