#include "api/common/audience.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.h"

namespace koya::api {
namespace {

constexpr std::string_view kMarkdownEnd = ".md";
constexpr std::string_view kJsonEnd = ".json";

http::Response TwinReply(std::string body, std::string content_type) {
  return http::Response::FromDocument(
      http::MakeDocument(std::move(body), {.content_type = std::move(content_type),
                                           .vary = "Accept-Encoding, Cookie, Authorization",
                                           .cache_control = "private, no-cache",
                                           .lasting = false}));
}

}  // namespace

bool IsForPrograms(std::string_view target) {
  constexpr std::array<std::string_view, 9> kPrefixes{"/api/",         "/v1/",         "/v2/",
                                                      "/mirror/",      "/origin/",     "/download/",
                                                      "/.well-known/", "/oauth/token", "/-/mcp"};
  return std::ranges::any_of(kPrefixes, [target](auto each) { return target.starts_with(each); });
}

bool WantsPages(const http::Request& request, std::string_view target) {
  return !IsForPrograms(target) && AsciiLower(request.Get("Accept")).contains("text/html");
}

RepresentationName ReadRepresentation(std::string_view part) {
  const auto ends = [part](std::string_view end) {
    return part.size() > end.size() && part.ends_with(end);
  };
  if (ends(kMarkdownEnd))
    return {part.substr(0, part.size() - kMarkdownEnd.size()), Representation::kMarkdown};
  if (ends(kJsonEnd)) return {part.substr(0, part.size() - kJsonEnd.size()), Representation::kJson};
  return {part, Representation::kPage};
}

http::Response MarkdownReply(std::string body) {
  return TwinReply(std::move(body), "text/markdown; charset=utf-8");
}

http::Response JsonRepresentationReply(std::string body) {
  return TwinReply(std::move(body), "application/json");
}

}  // namespace koya::api
