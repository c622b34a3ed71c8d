// SearchClient calls the API of the search index, and of the analyses that fill it. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "wire/readings.h"
#include "wire/search.h"

namespace koya::cli {

// Every function fails as ApiClient::Call does.
class SearchClient {
 public:
  explicit SearchClient(RegistryClientOptions options) : api_(std::move(options)) {}

  // A page of results, as the server sent it: wire::DecodeSearchResults. `sort`: "": best match
  // first.
  Result<std::string> Search(std::string_view text, std::uint64_t limit, std::uint64_t offset,
                             std::string_view sort = {});
  // Runs one step of a rebuild; `after`: "" for the first.
  Result<wire::ReindexReport> Reindex(std::string_view after);
  // Runs one step of analyzing versions that have not been analyzed yet; `after` as for Reindex.
  Result<wire::ReadingReport> InspectUnread(std::string_view after);

 private:
  ApiClient api_;
};

}  // namespace koya::cli
