// ProviderClient calls the API of providers and their keys: one function per call, documents
// decoded. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/provider_address.h"
#include "domain/upstream_record.h"
#include "domain/version.h"
#include "http/client/client.h"
#include "wire/modules.h"
#include "wire/provider_docs.h"
#include "wire/provider_publishing.h"
#include "wire/providers.h"

namespace koya::cli {

// The release that a call concerns.
struct ReleaseId {
  ProviderAddress address;
  Version version;
  std::string ToString() const { return address.ToString() + " " + version.ToString(); }
};

struct CommitAnswer {
  // All of the server's reasons to reject the draft; if there are any, the rest is empty.
  std::vector<std::string> problems;
  wire::PublishedProvider provider;
  bool created = false;  // false: the same release had been published before
};

// Every function fails as ApiClient::Call does.
class ProviderClient {
 public:
  explicit ProviderClient(RegistryClientOptions options) : api_(std::move(options)) {}

  const http::Url& server() const { return api_.server(); }

  // All providers, of one namespace if it is not empty, from all pages.
  Result<wire::ProviderList> ListProviders(std::string_view ns);
  // The latest version when `version` is nullopt.
  Result<wire::ProviderDetails> ShowProvider(const ProviderAddress& address,
                                             const std::optional<Version>& version);
  // Contents of a version; without docs and schema when the server knows of none.
  Result<wire::ProviderInside> ShowInside(const ProviderAddress& address, std::string_view version);
  // Also fails with kNotFound: there are no docs.
  Result<wire::DocList> ListDocs(const ProviderAddress& address, std::string_view version);
  // The same for a provider of another registry.
  Result<wire::DocList> ListMirroredDocs(const UpstreamProvider& provider, const Version& version);
  // The release that is published under this version, as a publish would return it; nullopt when
  // there is none.
  Result<std::optional<wire::PublishedProvider>> FindPublished(const ReleaseId& release);

  Status Withdraw(const ReleaseId& release, const wire::WithdrawalRequest& request);
  Status Restore(const ReleaseId& release, std::string_view reason);
  // "" removes a deprecation.
  Status Deprecate(const ReleaseId& release, std::string_view message);

  // `upload`: the caller's name for the files of this upload.
  Result<wire::Draft> OpenDraft(const ReleaseId& release, std::string upload);
  // The caller's own drafts, newest first, without their files.
  Result<std::vector<wire::Draft>> ListDrafts(const ReleaseId& release);
  Result<wire::Draft> ShowDraft(const ReleaseId& release, std::string_view id);
  Status AbandonDraft(const ReleaseId& release, std::string_view id);
  Result<wire::DraftFile> UploadFile(const ReleaseId& release, std::string_view draft,
                                     std::string_view name, http::FileUpload upload);
  Result<CommitAnswer> Commit(const ReleaseId& release, std::string_view draft,
                              const wire::CommitRequest& request);
  // Dry run of Commit: publishes nothing. Also fails with kRefused: the server is too old to know
  // dry runs.
  Result<CommitAnswer> Check(const ReleaseId& release, std::string_view draft,
                             const wire::CommitRequest& request);

  // `text`: armored public keys. Returns the added keys.
  Result<std::vector<wire::NamespaceKey>> AddKeys(std::string_view ns, std::string text);
  Result<std::vector<wire::NamespaceKey>> ListKeys(std::string_view ns);
  Status RemoveKey(std::string_view ns, std::string_view key_id);
  // Returns the new key.
  Result<std::vector<wire::NamespaceKey>> RotateKey(std::string_view ns);

 private:
  Result<CommitAnswer> Finish(std::string_view how, const ReleaseId& release,
                              std::string_view draft, const wire::CommitRequest& request);
  Result<wire::PublishedPackage> FindPackage(const ReleaseId& release,
                                             const wire::PlatformName& platform);

  ApiClient api_;
};

}  // namespace koya::cli
