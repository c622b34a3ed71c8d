// Clients of the API of modules and tokens, and of search: one function per call, documents
// decoded. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/archive_kind.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "http/url.h"
#include "wire/admin.h"
#include "wire/modules.h"
#include "wire/readings.h"
#include "wire/search.h"
#include "wire/tokens.h"

namespace koya::cli {

struct PublishOutcome {
  wire::PublishedModule module;
  bool created = false;  // false: the server had exactly these bytes already
};

// Modules and tokens. Every function fails as ApiClient::Call does.
class RegistryClient {
 public:
  explicit RegistryClient(RegistryClientOptions options);

  const http::Url& server() const { return api_.server(); }

  // Safe to repeat. `dry_run`: does everything except storing it.
  Result<PublishOutcome> Publish(const ModuleAddress& address, const Version& version,
                                 ArchiveKind kind, http::FileUpload archive, bool dry_run = false);
  Status Withdraw(const ModuleAddress& address, const Version& version,
                  const wire::WithdrawalRequest& request);
  Status Restore(const ModuleAddress& address, const Version& version, std::string_view reason);
  // "" removes the warning.
  Status Deprecate(const ModuleAddress& address, const Version& version, std::string_view message);

  // All modules, of one namespace if it is not empty, from all pages.
  Result<wire::ModuleList> ListModules(std::string_view ns);
  // The latest version when `version` is nullopt.
  Result<wire::ModuleDetails> ShowModule(const ModuleAddress& address,
                                         const std::optional<Version>& version);

  // Contents of a version: the JSON document as received (see inspect::ReadAnsweredPart).
  Result<std::string> ModuleContents(const ModuleAddress& address, const Version& version);
  Result<wire::Comparison> CompareModule(const ModuleAddress& address, const Version& from,
                                         const Version& to);
  Result<wire::Comparison> CompareProvider(const ProviderAddress& address, const Version& from,
                                           const Version& to);

  Result<wire::Token> CreateToken(const wire::TokenRequest& request);
  Result<std::vector<wire::Token>> ListTokens();
  // `expires`: a duration; "": as long as before.
  Result<wire::Token> RotateToken(std::string_view name, const std::string& expires);
  Status RevokeToken(std::string_view name);
  Result<wire::ResealReport> ResealSecrets();
  // Servers that share the server's catalog, itself among them.
  Result<std::vector<wire::Replica>> ListReplicas();

 private:
  ApiClient api_;
};

// The search index, and the analyses that fill it. Every function fails as ApiClient::Call does.
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
