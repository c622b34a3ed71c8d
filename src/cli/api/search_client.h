// The API of the search index, and of what gets into it, as the commands call it. One thread.
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

  // A page, as the server wrote it: wire::DecodeSearchResults. `sort`: "" for what matches best.
  Result<std::string> Search(std::string_view text, std::uint64_t limit, std::uint64_t offset,
                             std::string_view sort = {});
  // A step; `after`: "" for the first.
  Result<wire::ReindexReport> Reindex(std::string_view after);
  // The same of reading what nobody has read yet.
  Result<wire::ReadingReport> InspectUnread(std::string_view after);

 private:
  ApiClient api_;
};

}  // namespace koya::cli
