// Pages of a listing: the requested page, and the URLs of its neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/page.h"
#include "http/server/message.h"

namespace koya::http {
struct Response;
}

namespace koya::web {
struct ListPart;
}

namespace koya::api {

struct Call;

// `limit` (15, at most 100) and `offset` of the query. Fails: kInvalid.
Result<PageRequest> ReadPage(const Call& call);

// The offset of the part that a page of the site shows: `page` of the query, from 1, each of `size`
// items. Fails: kInvalid.
Result<std::uint64_t> ReadPartOffset(const Call& call, std::uint64_t size);

// The URL of another page of the same listing: the same query, with another offset.
Result<std::string> PageUrl(const Call& call, PageRequest page, std::uint64_t offset);

// Fills the fields of a list document that describe its page: for any wire list with these members.
template <class List>
Status DescribePage(const Call& call, PageRequest page, bool more, List& list) {
  list.limit = page.limit;
  list.current_offset = page.offset;
  if (more) {
    list.next_offset = page.offset + page.limit;
    ASSIGN_OR_RETURN(list.next_url, PageUrl(call, page, *list.next_offset));
  }
  if (page.offset > 0) {
    list.prev_offset = page.offset > page.limit ? page.offset - page.limit : 0;
    ASSIGN_OR_RETURN(list.prev_url, PageUrl(call, page, *list.prev_offset));
  }
  return {};
}

// A response with a page. It is not cached here, since there are as many pages as queries, but it
// is a document all the same, for its ETag and its gzip form. Its entries depend on the caller:
// caches on the way may store only the page of an anonymous caller.
http::Response PageReply(const Call& call, std::string body);

// Rejects a name that nothing can have, without a look-up. Fails: kNotFound.
Status CheckListedName(std::string_view name);

// ---- a part of a list that a page shows: ?page=2

// The page number, from 1. Fails: kInvalid.
Result<std::uint64_t> ReadPageNumber(const http::Request& request);

// The part of a list of `total` items for page `number`, with `size` items per full page. A number
// behind the end means the last part.
web::ListPart PartOf(std::uint64_t total, std::uint64_t number, std::uint64_t size);

// Removes all items outside that part, which it returns.
template <class T>
auto KeepPart(std::vector<T>& items, std::uint64_t number, std::uint64_t size) {
  const auto part = PartOf(items.size(), number, size);
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(part.offset));
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(part.shown), items.end());
  return part;
}

// Removes all items after the first `most`, and returns how many it removed.
template <class T>
std::size_t CutTo(std::vector<T>& items, std::size_t most) {
  const std::size_t kept = std::min(items.size(), most);
  const std::size_t left_out = items.size() - kept;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(kept), items.end());
  return left_out;
}

}  // namespace koya::api
