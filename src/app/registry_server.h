// Everything a server is made of, in one place.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/archives.h"
#include "api/document_cache.h"
#include "api/documents.h"
#include "api/services.h"
#include "app/heap.h"
#include "app/identity_parts.h"
#include "app/mirror_parts.h"
#include "app/operations_listener.h"
#include "app/patient_start.h"
#include "app/peer_parts.h"
#include "app/request_observer.h"
#include "app/set_up.h"
#include "app/settings.h"
#include "app/stores.h"
#include "auth/capability.h"
#include "auth/form_token.h"
#include "base/byte_budget.h"
#include "base/offload.h"
#include "http/server/server.h"
#include "obs/access_log.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "obs/metrics.h"
#include "service/access_explanation.h"
#include "service/accounts.h"
#include "service/audit.h"
#include "service/callers.h"
#include "service/change_feed.h"
#include "service/collect_garbage.h"
#include "service/database_clock.h"
#include "service/denied_attempts.h"
#include "service/doc_history.h"
#include "service/index_queue.h"
#include "service/installation.h"
#include "service/job_runs.h"
#include "service/kept_contents.h"
#include "service/kept_list.h"
#include "service/module_comparison.h"
#include "service/module_insides.h"
#include "service/modules.h"
#include "service/most_fetched.h"
#include "service/namespace_admin.h"
#include "service/namespaces.h"
#include "service/provider_comparison.h"
#include "service/provider_docs.h"
#include "service/providers.h"
#include "service/publish_module.h"
#include "service/publish_provider.h"
#include "service/published_check.h"
#include "service/reading.h"
#include "service/readings.h"
#include "service/reindex.h"
#include "service/release_judge.h"
#include "service/replicas.h"
#include "service/request_limits.h"
#include "service/search.h"
#include "service/search_examples.h"
#include "service/sign_in/client_login.h"
#include "service/sign_in/first_run.h"
#include "service/sign_in/password_work.h"
#include "service/sign_in/sessions.h"
#include "service/sign_in/sign_in.h"
#include "service/sign_in/throttle.h"
#include "service/signing_keys.h"
#include "service/storage.h"
#include "service/tokens.h"
#include "service/usage.h"
#include "service/usage_counter.h"
#include "service/use_notes.h"
#include "service/versions_before.h"
#include "service/waiting.h"
#include "signing/sealer.h"

namespace koya {

// Says that a server has stopped, once everything that was made after it is gone.
class Farewell {
 public:
  explicit Farewell(Logger& log) : log_(log) {}
  ~Farewell() {
    if (served_) log_.Info("stopped");
  }
  void NoteServed() { served_ = true; }

 private:
  Logger& log_;
  bool served_ = false;
};

// What there is before the server, and after it.
struct ServerSurroundings {
  LineWriter& lines;
  Logger& log;
  OperationsListener& operations;     // stopped when the server goes
  StartPatience* patience = nullptr;  // while the catalog is away; null: a start does not wait
};

// Its parts in the order in which they are built; they go the other way round. One thread, but for
// Stop().
class RegistryServer {
 public:
  // `settings` and `around` outlive this.
  RegistryServer(const Settings& settings, Stores stores, std::string_view secret,
                 ServerSurroundings around);
  ~RegistryServer();

  // Fails: whatever keeps the server from answering, told for the operator.
  Status Start();
  // Announces, and serves until SIGTERM or SIGINT; then drains.
  void Run(const std::function<void(std::string_view line)>& announce);

  // For a server that lives as long as one command of this process.
  std::string MakeOwnToken() { return tokens_.MakeOwn(); }
  std::uint16_t port() const { return server_->port(); }
  void Stop();

 private:
  // A step of the start that asks the catalog.
  Status AskCatalog(const std::function<Status()>& step);
  Status KnowCatalog();
  Status PrepareTls();
  // The others on the same database, if there can be any.
  Status MeetOthers();
  // Whoever keeps something derived from the catalog hears of its changes.
  void ListenToChanges();
  void AdoptNamespaces();
  Status CheckWhereBlobsAre();
  Status CheckStorage();
  void BuildRoutes();
  std::filesystem::path SetUpFile() const;
  // What the administrator's pages tell of this process.
  api::OperationsView Operations() const;
  Status Bind();
  Status WriteDevelopmentFiles();
  void WatchState();
  void WarnOfFewDescriptors();
  Status NameItself();
  // Ends requests, and what they wait for. Blocks for the drain, and a moment.
  void EndRequests();
  void EndWhatIsWaitedFor();

  const Settings& settings_;
  Logger& log_;
  Farewell farewell_{log_};
  Stores stores_;
  service::DatabaseClock clock_{*stores_.catalog, log_};
  LineWriter& lines_;
  AccessLog access_log_{lines_};
  OperationsListener& operations_;
  StartPatience* const patience_;
  Metrics& metrics_;
  signing::Sealer sealer_;
  auth::CapabilitySigner signer_;

  // How far those stand back who read what is large: everybody else goes before.
  static constexpr int kStandBack = 10;

  // Inspecting an archive of a gigabyte takes seconds: documents are not made on its threads.
  std::atomic<Visibility> new_namespaces_{
      settings_.access.default_visibility.value_or(Visibility::kInternal)};
  WorkerPool workers_{settings_.workers.threads};
  ByteBudget reading_bytes_{{.large = settings_.limits.reading_bytes}, [this](auto done) {
                              document_workers_.Post([done = std::move(done)] {
                                GiveBackFreeMemory();
                                done();
                              });
                            }};
  WorkerPool document_workers_{std::max<std::size_t>(2, settings_.workers.threads / 4)};
  WorkerPool large_workers_{std::max<std::size_t>(1, settings_.workers.threads / 4), kStandBack};
  service::ReadingRoom readers_{reading_bytes_, document_workers_, large_workers_};
  service::ChangeFeed changes_{*stores_.catalog};
  service::ModuleInsides insides_;
  service::Readings readings_{*stores_.catalog, insides_};
  service::ModuleComparison comparison_{*stores_.catalog, insides_};
  service::VersionJudge judge_{*stores_.catalog, insides_, workers_, settings_.publish.semver};
  service::ProviderDocs provider_docs_{*stores_.catalog, *stores_.blobs};
  service::DocHistories doc_histories_{*stores_.catalog, provider_docs_};
  service::ProviderComparison provider_comparison_{*stores_.catalog, provider_docs_, workers_};
  service::ReleaseJudge release_judge_{*stores_.catalog, provider_comparison_,
                                       settings_.publish.semver};
  service::KeptContents contents_{insides_, provider_docs_};
  service::IndexQueue index_queue_;
  service::Modules modules_{*stores_.catalog, *stores_.blobs, index_queue_, clock_,
                            settings_.blobs.gc_grace};
  service::ModulePublisher publisher_;
  service::SigningKeys signing_keys_{*stores_.catalog, sealer_, workers_, clock_,
                                     service::DefaultVisibility(new_namespaces_)};
  service::Providers providers_{*stores_.catalog, *stores_.blobs, index_queue_, clock_,
                                settings_.blobs.gc_grace};
  service::ProviderPublisher provider_publisher_;
  service::InstallationCheck installation_;
  StorageMarker marker_;  // of this catalog
  service::UseNotes uses_{*stores_.catalog, log_};
  service::TokenCache known_tokens_{[this] { return changes_.SeenUntil(); }, TimeSinceBoot,
                                    settings_.access.offline_grace};
  service::Tokens tokens_{*stores_.catalog, *stores_.catalog, known_tokens_, clock_, uses_};
  service::Namespaces namespaces_{
      *stores_.catalog, service::DefaultVisibility(new_namespaces_), clock_,
      settings_.access.default_visibility.value_or(Visibility::kPublic)};
  service::Accounts accounts_{*stores_.catalog, clock_};
  service::NamespaceAdmin namespace_admin_{*stores_.catalog, clock_,
                                           service::DefaultVisibility(new_namespaces_)};
  service::AccessExplainer access_explainer_{*stores_.catalog, *stores_.catalog,
                                             service::DefaultVisibility(new_namespaces_)};
  service::Audit audit_{*stores_.catalog};
  service::DeniedAttempts denied_{*stores_.catalog, log_};
  service::RequestLimits limits_;
  service::UsageCounter usage_;
  service::Usage usage_reports_{*stores_.catalog, clock_};
  service::Callers callers_{*stores_.catalog, workers_};
  service::VersionsBefore versions_before_{*stores_.catalog};
  service::MostFetched most_fetched_{*stores_.catalog, namespaces_, clock_};
  service::Search search_{*stores_.catalog, *stores_.catalog, index_queue_};
  service::Reindexing reindexing_{*stores_.catalog, contents_, workers_};
  service::KeptList kept_{*stores_.catalog, *stores_.blobs};
  service::Storage storage_{*stores_.catalog, *stores_.catalog};
  service::Replicas replicas_{*stores_.catalog, *stores_.catalog};
  service::Waiting waiting_{tokens_, signing_keys_, clock_};
  service::SearchExamples search_examples_{*stores_.catalog, namespaces_, clock_};
  service::PasswordWork password_work_;
  service::SignInThrottle sign_in_throttle_{clock_};
  service::Sessions sessions_{*stores_.catalog, *stores_.catalog, known_tokens_, clock_, uses_};
  service::SignIn sign_in_;
  service::ClientLogin client_login_{*stores_.catalog, *stores_.catalog, *stores_.catalog, clock_,
                                     settings_.access.login_ttl};
  service::FirstRun first_run_{
      *stores_.catalog, *stores_.catalog,
      password_work_,   sign_in_throttle_,
      clock_,           settings_.access.default_visibility ? nullptr : &new_namespaces_};
  auth::FormTokens form_tokens_;
  api::DocumentCache documents_{settings_.cache.documents_bytes};
  api::ArchiveCache archives_;
  api::LinkedCache linked_;
  Result<peers::PeerKeys> peer_keys_;  // until peers_ has them
  std::unique_ptr<service::Leases> leases_;
  service::GarbageTotals garbage_;
  service::JobRuns job_runs_{clock_};
  // Before the mirror, whose downloads it shows to other servers.
  std::unique_ptr<PeerParts> peers_;
  // After the caches: its threads announce changes to them until they have ended.
  std::unique_ptr<MirrorParts> mirror_;
  std::unique_ptr<IdentityParts> identity_;
  std::unique_ptr<service::PublishedCheck> published_check_;
  std::unique_ptr<api::Services> services_;
  std::unique_ptr<http::Router> router_;
  RequestObserver observer_;
  std::optional<http::TlsOptions> tls_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace koya
