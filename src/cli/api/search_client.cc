#include "cli/api/search_client.h"

#include <fmt/format.h>

#include "http/url.h"

namespace koya::cli {

Result<std::string> SearchClient::Search(std::string_view text, std::uint64_t limit,
                                         std::uint64_t offset, std::string_view sort) {
  return api_.Get(fmt::format("/api/v1/search?q={}&limit={}&offset={}{}{}",
                              http::PercentEncode(text), limit, offset,
                              sort.empty() ? "" : "&sort=", http::PercentEncode(sort)));
}

Result<wire::ReindexReport> SearchClient::Reindex(std::string_view after) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/reindex", wire::EncodeReindexRequest(after)));
  return wire::DecodeReindexReport(response.body);
}

Result<wire::ReadingReport> SearchClient::InspectUnread(std::string_view after) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/inspect", wire::EncodeReadingRequest(after)));
  return wire::DecodeReadingReport(response.body);
}

}  // namespace koya::cli
