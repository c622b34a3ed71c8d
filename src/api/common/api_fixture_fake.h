// For tests: the whole API over real stores in a temporary folder, asked without a socket.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/archives.h"
#include "api/common/call.h"
#include "api/common/document_cache.h"
#include "api/common/documents.h"
#include "auth/browser_tokens.h"
#include "auth/capability.h"
#include "base/byte_budget.h"
#include "base/manual_clock_fake.h"
#include "base/offload.h"
#include "base/temp_folder_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "domain/access.h"
#include "http/server/router.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "service/access/request_limits.h"
#include "service/access/token_cache.h"
#include "service/common/attachments.h"
#include "service/common/change_feed.h"
#include "service/common/freeze.h"
#include "service/common/last_used_tracker.h"
#include "service/common/reading.h"
#include "service/mirror/mirror.h"
#include "service/mirror/upstream_fake.h"
#include "service/modules/module_comparison.h"
#include "service/modules/module_metadata.h"
#include "service/modules/publish_module.h"
#include "service/modules/semver_check.h"
#include "service/providers/provider_comparison.h"
#include "service/providers/publish_provider.h"
#include "service/providers/release_semver_check.h"
#include "service/providers/stored_contents.h"
#include "service/search/index_queue.h"
#include "service/sign_in/client_login.h"
#include "service/sign_in/first_run.h"
#include "service/sign_in/identity_providers.h"
#include "service/sign_in/issuer_client_fake.h"
#include "service/sign_in/password_work.h"
#include "service/sign_in/provider_sign_in.h"
#include "service/sign_in/sessions.h"
#include "service/sign_in/sign_in.h"
#include "service/sign_in/throttle.h"
#include "service/sign_in/token_exchange.h"
#include "service/sign_in/trust.h"
#include "service/usage/usage_counter.h"
#include "signing/sealer.h"

namespace koya::api {

struct Question {
  http::Method method = http::Method::kGet;
  std::string path;
  std::string query;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  std::string remote = "192.0.2.1";
};

// An answer with its body laid open.
struct Reply {
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  std::string etag;

  // The value of the first field called `name`, or "".
  std::string Get(std::string_view name) const;
};

class ApiFixture {
 public:
  static constexpr std::uint64_t kDocumentBytes = 1 << 20;

  explicit ApiFixture(service::PublishOptions options = {},
                      service::ProviderPublishOptions provider_options = {});
  // Another server on the same catalog, as far as pages are concerned: it has its own blobs.
  explicit ApiFixture(std::shared_ptr<Catalog> catalog);
  ~ApiFixture();

  // What the route for this question answers; 404 and 405 where there is none.
  Reply Ask(const Question& question);
  Reply Get(std::string path, std::string user_agent = "Terraform/1.11.4");
  // What the engine answers to a request that it refuses itself. Its path may be unknown.
  Reply Refuse(unsigned status, std::string_view target, const Question& question);
  // What the handler of a page that shows things answers when it fails so.
  Reply FailPage(ErrorKind kind, const Question& question);
  Reply Publish(std::string address, std::string version, std::string archive);
  Reply Withdraw(std::string address, std::string version, std::string reason);
  // A token of this scope, for the Authorization field.
  std::string Token(Scope scope, std::vector<std::string> namespaces = {},
                    std::optional<std::chrono::seconds> expires = {});

  // Makes a user with that password.
  void AddUser(const std::string& name, const std::string& password, bool admin = false);
  // The set-up token that `koya serve` shows at a first start. "": there is nothing to set up.
  std::string SetUpToken();

  const CatalogParts& catalog() const { return parts_; }
  std::shared_ptr<Catalog> shared_catalog() { return catalog_; }
  BlobStore& blobs() { return *blobs_; }
  DocumentCache& documents() { return documents_; }
  ArchiveCache& archives() { return archives_; }

  // What the policy of the mirror denies from here on.
  void Deny(const std::string& pattern);
  // Waits until what the mirror fetches has been kept.
  void SettleMirror();
  // Notes uses now, as a server's background job does.
  void WriteUses();
  // The same of denied attempts, and the audit log is chained.
  void WriteAudit();
  // Stores the counts of fetches, as a server's background job does.
  void WriteUsage();
  // Stores the mirror's counts, once nothing is in flight.
  void WriteMirrorCounts();
  // Adds up the bytes that were sent.
  void ShareSentBytes();

  ManualClock clock;
  // What readers hold; none of them waits for a turn.
  ByteBudget reading_bytes{{.patience = std::chrono::milliseconds(0)}};
  // For how long the catalog has not answered, as the API sees it.
  std::chrono::nanoseconds silent_for{};
  std::chrono::nanoseconds since_boot = std::chrono::hours(1);  // of the limits
  ReadingRules access;                                          // set before SettleMirror()
  service::RequestAllowances allowances;                        // the same
  service::UsageRules usage_rules;                              // the same
  SiteRules site;                                               // the same
  ModuleLocationForm module_location = {};                      // the same
  OperationsView operations;                                    // the same
  std::filesystem::path client_tree;                            // of a release; the same
  service::FakeUpstream upstream;                               // registry.example.org's providers
  service::FakeModules upstream_modules;                        // and its modules
  service::FakeDocs upstream_docs;                              // and its docs
  bool mirror_docs = false;                                     // set before SettleMirror()
  service::FakeIssuerClient issuers;                            // https://id.example.com
  std::string token;  // sent by Ask when not empty and the question brings none of its own

 private:
  void OpenParts();

  TempFolder folder_;
  WorkerPool workers_{2};
  service::ReadingBudget readers_{reading_bytes, workers_, workers_};
  LineWriter lines_{{.descriptor = -1}};
  Logger log_{lines_, LogLevel::kInfo};
  std::shared_ptr<Catalog> catalog_;
  CatalogParts parts_;
  std::unique_ptr<BlobStore> blobs_;
  std::unique_ptr<service::ChangeFeed> changes_;
  std::unique_ptr<service::Modules> modules_;
  std::unique_ptr<service::ModuleMetadata> insides_;
  std::unique_ptr<service::AnalysisProgress> readings_;
  std::unique_ptr<service::ModuleComparison> comparison_;
  std::unique_ptr<service::SemverCheck> judge_;
  std::unique_ptr<service::StoredContents> contents_;
  service::IndexQueue index_queue_;
  const std::atomic<bool> stopping_{false};
  std::unique_ptr<service::ModulePublisher> publisher_;
  signing::Sealer sealer_{"a secret of the tests"};
  std::unique_ptr<service::SigningKeys> signing_keys_;
  std::unique_ptr<service::Providers> providers_;
  std::unique_ptr<service::ProviderDocs> provider_docs_;
  std::unique_ptr<service::ProviderComparison> provider_comparison_;
  std::unique_ptr<service::ReleaseSemverCheck> release_judge_;
  std::unique_ptr<service::ProviderPublisher> provider_publisher_;
  std::unique_ptr<service::Attachments> attachments_;
  std::unique_ptr<service::LastUsedTracker> uses_;
  std::unique_ptr<service::TokenCache> known_tokens_;
  std::unique_ptr<service::Tokens> tokens_;
  std::unique_ptr<service::Namespaces> namespaces_;
  std::unique_ptr<service::Accounts> accounts_;
  std::unique_ptr<service::NamespaceAdmin> namespace_admin_;
  std::unique_ptr<service::Audit> audit_;
  std::unique_ptr<service::DeniedAttempts> denied_;
  std::unique_ptr<service::RequestLimits> limits_;
  std::unique_ptr<service::UsageCounter> usage_;
  std::unique_ptr<service::MostFetched> most_fetched_;
  std::unique_ptr<service::SearchExamples> search_examples_;
  std::unique_ptr<service::Usage> usage_reports_;
  std::unique_ptr<service::Callers> callers_;
  std::unique_ptr<service::VersionsBefore> versions_before_;
  std::unique_ptr<service::Search> search_;
  std::unique_ptr<service::Reindexing> reindexing_;
  std::unique_ptr<service::StoredArtifacts> kept_;
  std::unique_ptr<service::Storage> storage_;
  std::unique_ptr<service::Freeze> freeze_;
  std::unique_ptr<service::GarbagePlanner> garbage_;
  std::unique_ptr<service::Replicas> replicas_;
  std::unique_ptr<service::Waiting> waiting_;
  std::unique_ptr<service::Notifications> notifications_;
  std::unique_ptr<service::ClientArchives> clients_;
  std::unique_ptr<service::AccessExplainer> access_explainer_;
  service::PasswordWork password_work_{{.memory_kib = 64, .passes = 1}};
  service::SignInThrottle throttle_{clock};
  std::unique_ptr<service::Sessions> sessions_;
  std::unique_ptr<service::SignIn> sign_in_;
  std::unique_ptr<service::ClientLogin> client_login_;
  std::unique_ptr<service::FirstRun> first_run_;
  std::unique_ptr<service::IdentityProviders> identity_providers_;
  std::unique_ptr<service::ProviderSignIn> provider_sign_in_;
  std::unique_ptr<service::Trust> trust_;
  std::unique_ptr<service::TokenExchange> token_exchange_;
  auth::FormTokens form_tokens_{"a secret of the tests"};
  DocumentCache documents_{kDocumentBytes};
  ArchiveCache archives_{1 << 20};
  LinkedCache linked_{1 << 20};
  auth::CapabilitySigner signer_{"a secret of the tests"};
  std::unique_ptr<service::Mirror> mirror_;
  std::unique_ptr<service::PublishedCheck> published_check_;
  std::unique_ptr<service::InstallationCheck> installation_;
  std::unique_ptr<Services> services_;
  std::unique_ptr<http::Router> router_;
  int tokens_made_ = 0;
  std::atomic<Visibility> new_namespaces_ = Visibility::kPublic;
  service::PublishOptions options_;
  service::ProviderPublishOptions provider_options_;
};

// ---- module archives, packed as `koya publish` packs folders

// A .tar.gz of these files (path → content).
std::string PackFiles(const std::map<std::string, std::string>& files);

// A valid module whose bytes depend on `marker`.
std::string ModuleArchive(const std::string& marker = "");

// The same module inside a single top folder.
std::string WrappedModuleArchive(const std::string& marker = "");

}  // namespace koya::api
