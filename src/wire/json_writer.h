// Helpers for paged lists and hand-written JSON. Included by wire's .cc files only, since it pulls
// in Boost.JSON.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "wire/document.h"

namespace koya::wire {

inline boost::json::array StringArray(const std::vector<std::string>& texts) {
  return boost::json::array(texts.begin(), texts.end());
}

// "meta" of a page: works for any list with the paging members of ModuleList.
template <class List>
boost::json::object PageMeta(const List& list) {
  boost::json::object meta;
  meta["limit"] = list.limit;
  meta["current_offset"] = list.current_offset;
  if (list.next_offset) meta["next_offset"] = *list.next_offset;
  if (list.prev_offset) meta["prev_offset"] = *list.prev_offset;
  if (!list.next_url.empty()) meta["next_url"] = list.next_url;
  if (!list.prev_url.empty()) meta["prev_url"] = list.prev_url;
  return meta;
}

// Reads "meta" of `document` into `list`; it may be absent.
template <class List>
Status ReadPageMeta(std::string_view what, const boost::json::object& document, List& list) {
  const boost::json::value* meta = document.if_contains("meta");
  if (meta == nullptr) return {};
  ASSIGN_OR_RETURN(const boost::json::object* object, ElementObject(what, *meta, "meta"));
  ASSIGN_OR_RETURN(auto limit, OptionalNumber(what, *object, "limit"));
  ASSIGN_OR_RETURN(auto offset, OptionalNumber(what, *object, "current_offset"));
  ASSIGN_OR_RETURN(list.next_offset, OptionalNumber(what, *object, "next_offset"));
  ASSIGN_OR_RETURN(list.prev_offset, OptionalNumber(what, *object, "prev_offset"));
  ASSIGN_OR_RETURN(list.next_url, OptionalString(what, *object, "next_url"));
  ASSIGN_OR_RETURN(list.prev_url, OptionalString(what, *object, "prev_url"));
  list.limit = limit.value_or(0);
  list.current_offset = offset.value_or(0);
  return {};
}

// {"meta": {…}, "KEY": […]}
template <class List, class T>
std::string EncodePage(const List& list, std::string_view key, const std::vector<T>& parts) {
  std::string out = "{";
  AppendKey("meta", out);
  out += boost::json::serialize(PageMeta(list));
  AppendKey(key, out);
  AppendValue(parts, out);
  return out + '}';
}
template <class List, class T>
Result<List> DecodePage(std::string_view what, std::string_view key, std::vector<T> List::* parts,
                        std::string_view body) {
  ASSIGN_OR_RETURN(boost::json::object document, ParseObject(what, body));
  List out;
  RETURN_IF_ERROR(ReadPageMeta(what, document, out));
  ASSIGN_OR_RETURN(out.*parts, RequiredObjects<T>(what, document, key, ReadObject<T>));
  return out;
}

}  // namespace koya::wire
