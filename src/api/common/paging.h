// Pages of a listing: the requested page, and the URLs of its neighbours.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/page.h"

namespace koya::http {
struct Response;
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

}  // namespace koya::api
