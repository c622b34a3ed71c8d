#include "api/common/paging.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/common/call.h"
#include "api/common/query.h"
#include "base/text.h"
#include "http/server/message.h"
#include "http/url.h"
#include "web/common/view.h"

namespace koya::api {
namespace {

constexpr std::uint64_t kDefaultLimit = 15;
constexpr std::uint64_t kMostLimit = 100;

// The path of the request as it may stand in a URL again.
std::string EncodePath(std::string_view path) {
  std::string out;
  for (std::size_t begin = 1; begin <= path.size();) {
    std::size_t end = std::min(path.find('/', begin), path.size());
    out += "/" + http::PercentEncode(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace

Result<PageRequest> ReadPage(const Call& call) {
  PageRequest page;
  std::string_view query = call.request().query;
  ASSIGN_OR_RETURN(page.offset, QueryNumber(query, "offset", 0));
  ASSIGN_OR_RETURN(std::uint64_t limit, QueryNumber(query, "limit", kDefaultLimit));
  page.limit = std::clamp<std::uint64_t>(limit, 1, kMostLimit);
  return page;
}

Result<std::uint64_t> ReadPartOffset(const Call& call, std::uint64_t size) {
  // Beyond it no list goes on.
  constexpr std::uint64_t kMostParts = 100'000;
  ASSIGN_OR_RETURN(std::uint64_t page, QueryNumber(call.request().query, "page", 1));
  if (page == 0 || page > kMostParts) {
    return FailInvalid("no such page: page numbers start at 1");
  }
  return (page - 1) * size;
}

Result<std::string> PageUrl(const Call& call, PageRequest page, std::uint64_t offset) {
  std::string url =
      fmt::format("{}?limit={}&offset={}", EncodePath(call.request().path), page.limit, offset);
  for (std::string_view name : {"q", "provider", "namespace", "verified", "sort"}) {
    ASSIGN_OR_RETURN(std::optional<std::string> value, QueryParameter(call.request().query, name));
    if (value) url += fmt::format("&{}={}", name, http::PercentEncode(*value));
  }
  return url;
}

http::Response PageReply(const Call& call, std::string body) {
  http::DocumentOptions options{.lasting = false};
  if (!call.principal.is_anonymous()) options.cache_control = "private, no-cache";
  return http::Response::FromDocument(http::MakeDocument(std::move(body), std::move(options)));
}

Status CheckListedName(std::string_view name) {
  if (IsPlainText(name)) return {};
  return FailNotFound("no package of this name here");
}

Result<std::uint64_t> ReadPageNumber(const http::Request& request) {
  // No list is longer.
  constexpr std::uint64_t kLastPage = 1'000'000'000;
  Result<std::uint64_t> number = QueryNumber(request.query, "page", 1);
  if (number && *number >= 1 && *number <= kLastPage) return number;
  return FailInvalid("the parameter \"page\" must be a whole number, 1 or more");
}

web::ListPart PartOf(std::uint64_t total, std::uint64_t number, std::uint64_t size) {
  const std::uint64_t last = total == 0 ? 0 : (total - 1) / size;
  const std::uint64_t offset = std::min(number - 1, last) * size;
  return {.offset = offset,
          .shown = std::min(size, total - offset),
          .size = size,
          .total = total,
          .more = false};
}

}  // namespace koya::api
