// RegistryClient adds to the endpoints what calls about modules need: uploads, pages, large
// documents, and paths of the module registry protocol. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/archive_kind.h"
#include "domain/module_address.h"
#include "domain/version.h"
#include "wire/modules.h"

namespace koya::cli {

struct PublishOutcome {
  wire::PublishedModule module;
  bool created = false;  // false: the server had exactly these bytes already
};

// Every function fails as ApiClient::Call does.
class RegistryClient : public ApiClient {
 public:
  using ApiClient::ApiClient;

  // Safe to repeat. `source_url`: of the module's repository; "": not stated. `dry_run`: does
  // everything except storing it.
  Result<PublishOutcome> Publish(const ModuleAddress& address, const Version& version,
                                 ArchiveKind kind, http::FileUpload archive, bool dry_run = false,
                                 std::string_view source_url = {});

  // All modules, of one namespace if it is not empty, from all pages.
  Result<wire::ModuleList> ListModules(std::string_view ns);
  // The latest version when `version` is nullopt.
  Result<wire::ModuleDetails> ShowModule(const ModuleAddress& address,
                                         const std::optional<Version>& version);
  // Contents of a version: the JSON document as received (see inspect::ReadAnsweredPart).
  Result<std::string> ModuleContents(const ModuleAddress& address, const Version& version);
};

}  // namespace koya::cli
