// The API of providers and of their keys as the commands call it: one function per call, documents
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

// The release that a call is about.
struct ReleaseId {
  ProviderAddress address;
  Version version;
  std::string ToString() const { return address.ToString() + " " + version.ToString(); }
};

struct CommitAnswer {
  // Everything that the server refuses in the draft; then the rest is empty.
  std::vector<std::string> problems;
  wire::PublishedProvider provider;
  bool created = false;  // false: the same release had been published before
};

// Every function fails as ApiClient::Call does.
class ProviderClient {
 public:
  explicit ProviderClient(RegistryClientOptions options) : api_(std::move(options)) {}

  const http::Url& server() const { return api_.server(); }

  // All providers, of one namespace if it is not empty: every page, as one list.
  Result<wire::ProviderList> ListProviders(std::string_view ns);
  // The latest version when none is given.
  Result<wire::ProviderDetails> ShowProvider(const ProviderAddress& address,
                                             const std::optional<Version>& version);
  // What is inside a version; nothing of docs and schema when the server knows of none.
  Result<wire::ProviderInside> ShowInside(const ProviderAddress& address, std::string_view version);
  // Fails, too: kNotFound: there are none.
  Result<wire::DocList> ListDocs(const ProviderAddress& address, std::string_view version);
  // The same of a provider of another registry.
  Result<wire::DocList> ListMirroredDocs(const UpstreamProvider& provider, const Version& version);
  // What is published under this version, as the answer to a publish would have it; nullopt when
  // there is nothing.
  Result<std::optional<wire::PublishedProvider>> FindPublished(const ReleaseId& release);

  Status Withdraw(const ReleaseId& release, const wire::WithdrawalRequest& request);
  Status Restore(const ReleaseId& release, std::string_view reason);
  // "" takes a deprecation back.
  Status Deprecate(const ReleaseId& release, std::string_view message);

  // `upload`: what the caller calls the files that go into it.
  Result<wire::Draft> OpenDraft(const ReleaseId& release, std::string upload);
  // The caller's own, newest first, without their files.
  Result<std::vector<wire::Draft>> ListDrafts(const ReleaseId& release);
  Result<wire::Draft> ShowDraft(const ReleaseId& release, std::string_view id);
  Status AbandonDraft(const ReleaseId& release, std::string_view id);
  Result<wire::DraftFile> UploadFile(const ReleaseId& release, std::string_view draft,
                                     std::string_view name, http::FileUpload upload);
  Result<CommitAnswer> Commit(const ReleaseId& release, std::string_view draft,
                              const wire::CommitRequest& request);
  // What a commit would answer; nothing is published. Fails, too: kRefused: the server is too old
  // to know dry runs.
  Result<CommitAnswer> Check(const ReleaseId& release, std::string_view draft,
                             const wire::CommitRequest& request);

  // `text`: armored public keys. Returns those that were added.
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
