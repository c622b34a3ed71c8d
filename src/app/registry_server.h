// A server with all its parts, in one place.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/common/archives.h"
#include "api/common/call.h"
#include "api/common/document_cache.h"
#include "api/common/documents.h"

#include "app/backup.h"
#include "app/mirror_parts.h"
#include "app/operations_listener.h"
#include "app/process_limits.h"
#include "app/request_observer.h"
#include "app/server_parts.h"
#include "app/set_up.h"
#include "app/settings.h"
#include "app/startup_retry.h"
#include "app/stores.h"
#include "app/trace_exporter.h"
#include "auth/browser_tokens.h"
#include "auth/capability.h"
#include "base/byte_budget.h"
#include "base/offload.h"
#include "http/server/server.h"
#include "obs/access_log.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "obs/metrics.h"
#include "service/access/access_explanation.h"
#include "service/access/accounts.h"
#include "service/access/namespace_admin.h"
#include "service/access/namespaces.h"
#include "service/access/request_limits.h"
#include "service/access/tokens.h"
#include "service/audit/audit.h"
#include "service/audit/denied_attempts.h"
#include "service/common/attachments.h"
#include "service/common/change_feed.h"
#include "service/common/database_clock.h"
#include "service/common/freeze.h"
#include "service/common/job_runs.h"
#include "service/common/last_used_tracker.h"
#include "service/common/reading.h"
#include "service/common/version_rules.h"
#include "service/modules/module_comparison.h"
#include "service/modules/module_metadata.h"
#include "service/modules/modules.h"
#include "service/modules/publish_module.h"
#include "service/modules/reading_upkeep.h"
#include "service/operate/backups.h"
#include "service/operate/client_archives.h"
#include "service/operate/collect_garbage.h"
#include "service/operate/installation.h"
#include "service/operate/notifications.h"
#include "service/operate/replicas.h"
#include "service/operate/storage.h"
#include "service/providers/provider_comparison.h"
#include "service/providers/provider_docs.h"
#include "service/providers/providers.h"
#include "service/providers/publish_provider.h"
#include "service/providers/release_semver_check.h"
#include "service/providers/signing_keys.h"
#include "service/providers/stored_contents.h"
#include "service/search/index_queue.h"
#include "service/search/reindex.h"
#include "service/search/search.h"
#include "service/sign_in/client_login.h"
#include "service/sign_in/first_run.h"
#include "service/sign_in/password_work.h"
#include "service/sign_in/sessions.h"
#include "service/sign_in/sign_in.h"
#include "service/sign_in/throttle.h"
#include "service/usage/callers.h"
#include "service/usage/usage.h"
#include "service/usage/usage_counter.h"
#include "service/verify/published_check.h"
#include "service/verify/stored_artifacts.h"
#include "signing/sealer.h"

namespace koya {

// Logs that a server has stopped, once everything that was constructed after this is destroyed.
class StopLogger {
 public:
  explicit StopLogger(Logger& log) : log_(log) {}
  ~StopLogger() {
    if (served_) log_.Info("stopped");
  }
  void NoteServed() { served_ = true; }

 private:
  Logger& log_;
  bool served_ = false;
};

// Objects that exist before the server is created and after it is destroyed.
struct ServerDependencies {
  LineWriter& lines;
  Logger& log;
  OperationsListener& operations;    // stopped when the server is destroyed
  StartupRetry* patience = nullptr;  // while the catalog is down; null: a start does not wait
};

// Holds its parts in the order of their construction; they are destroyed in reverse. One thread,
// except for Stop().
class RegistryServer {
 public:
  // `settings` and `around` must outlive this.
  RegistryServer(const Settings& settings, Stores stores, std::string_view secret,
                 ServerDependencies around);
  ~RegistryServer();

  // Fails: any error that keeps the server from serving, worded for the operator.
  Status Start();
  // Announces the server, and serves until SIGTERM or SIGINT; then drains.
  void Run(const std::function<void(std::string_view line)>& announce);

  // For a server that lives as long as one command of this process.
  std::string MakeOwnToken() { return tokens_.MakeOwn(); }
  std::uint16_t port() const { return server_->port(); }
  void Stop();

 private:
  // Runs a step of the start that uses the catalog.
  Status AskCatalog(const std::function<Status()>& step);
  Status KnowCatalog();
  Status PrepareTls();
  // Joins the other servers on the same database, if there can be any.
  Status JoinCluster();
  // Subscribes the caches of data from the catalog to its changes.
  void ListenToChanges();
  void LearnChoices();
  Status CheckWhereBlobsAre();
  Status CheckMoved();
  Status CheckStorage();
  Status PrepareMail();
  void BuildRoutes();
  std::filesystem::path SetUpFile() const;
  // Operational data of this process for the administration pages.
  api::OperationsView Operations();
  Status Bind();
  Status WriteDevelopmentFiles();
  void WatchState();
  void WarnOfFewDescriptors();
  void WarnOfLargeCatalog();
  Status NameItself();
  // Ends all requests and the work that they wait for. Blocks for the drain, and a moment longer.
  void EndRequests();
  void AnnounceStop(int signal);
  void EndWhatIsWaitedFor();

  const Settings& settings_;
  Logger& log_;
  StopLogger farewell_{log_};
  std::unique_ptr<TraceExporter> traces_;  // null: no traces are sent
  Stores stores_;
  service::DatabaseClock clock_{*stores_.catalog, log_};
  LineWriter& lines_;
  AccessLog access_log_{lines_};
  OperationsListener& operations_;
  StartupRetry* const patience_;
  Metrics& metrics_;
  signing::Sealer sealer_;
  auth::CapabilitySigner signer_;

  // Niceness of the threads that read large inputs: all other threads take precedence.
  static constexpr int kStandBack = 10;

  std::atomic<Visibility> new_namespaces_{
      settings_.access.default_visibility.value_or(Visibility::kInternal)};
  // Inspecting an archive of a gigabyte takes seconds: documents are not made on these threads.
  WorkerPool workers_{settings_.workers.threads};
  ByteBudget reading_bytes_{{.large = settings_.limits.reading_bytes}, [this](auto done) {
                              document_workers_.Post([done = std::move(done)] {
                                GiveBackFreeMemory();
                                done();
                              });
                            }};
  WorkerPool document_workers_{std::max<std::size_t>(2, settings_.workers.threads / 4)};
  WorkerPool large_workers_{std::max<std::size_t>(1, settings_.workers.threads / 4), kStandBack};
  service::ReadingBudget readers_{reading_bytes_, document_workers_, large_workers_};
  service::ChangeFeed changes_{*stores_.catalog};
  service::ModuleMetadata insides_;
  service::AnalysisProgress readings_{*stores_.catalog, insides_};
  service::ModuleComparison comparison_{*stores_.catalog, insides_};
  service::SemverCheck judge_{*stores_.catalog, insides_, workers_, settings_.publish.semver};
  service::ProviderDocs provider_docs_{*stores_.catalog, *stores_.blobs};
  service::ProviderComparison provider_comparison_{*stores_.catalog, provider_docs_, workers_};
  service::ReleaseSemverCheck release_judge_{*stores_.catalog, provider_comparison_,
                                             settings_.publish.semver};
  service::StoredContents contents_{insides_, provider_docs_};
  service::IndexQueue index_queue_;
  service::Modules modules_{*stores_.catalog, *stores_.blobs, index_queue_, clock_,
                            settings_.blobs.gc_grace};
  service::ModulePublisher publisher_;
  service::SigningKeys signing_keys_{*stores_.catalog, sealer_, workers_, clock_,
                                     service::DefaultVisibility(new_namespaces_)};
  service::Providers providers_{*stores_.catalog, *stores_.blobs, index_queue_, clock_,
                                settings_.blobs.gc_grace};
  service::ProviderPublisher provider_publisher_;
  service::Attachments attachments_;
  service::InstallationCheck installation_;
  StorageMarker marker_;  // this catalog's
  service::LastUsedTracker uses_{*stores_.catalog, log_};
  service::TokenCache known_tokens_{[this] { return changes_.SeenUntil(); }, TimeSinceBoot,
                                    settings_.access.offline_grace};
  service::Tokens tokens_{*stores_.catalog, *stores_.catalog, known_tokens_, clock_, uses_};
  service::Namespaces namespaces_{
      *stores_.catalog, service::DefaultVisibility(new_namespaces_),
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
  service::StoredArtifacts kept_{*stores_.catalog, *stores_.blobs};
  service::Storage storage_{*stores_.catalog};
  service::Freeze freeze_{*stores_.catalog};
  service::GarbagePlanner garbage_planner_{
      *stores_.catalog,
      *stores_.blobs,
      clock_,
      {.grace = settings_.blobs.gc_grace,
       .trash_for = stores_.bucket ? settings_.blobs.trash_for : std::chrono::seconds(0)}};
  service::Replicas replicas_{*stores_.catalog, *stores_.catalog};
  service::Waiting waiting_{tokens_, signing_keys_, clock_};
  service::Notifications notifications_{*stores_.catalog, *stores_.catalog, namespaces_, waiting_,
                                        clock_};
  service::ClientArchives clients_;
  service::SearchExamples search_examples_{*stores_.catalog, namespaces_, clock_};
  service::PasswordWork password_work_;
  service::SignInThrottle sign_in_throttle_{clock_};
  service::Sessions sessions_{*stores_.catalog, *stores_.catalog, known_tokens_, clock_, uses_};
  service::SignIn sign_in_;
  service::ClientLogin client_login_{*stores_.catalog, *stores_.catalog, *stores_.catalog, clock_,
                                     settings_.access.login_ttl};
  service::FirstRun first_run_{*stores_.catalog,
                               *stores_.catalog,
                               password_work_,
                               sign_in_throttle_,
                               clock_,
                               settings_.access.default_visibility ? nullptr : &new_namespaces_,
                               [this] { documents_.Invalidate({}); }};
  auth::FormTokens form_tokens_;
  api::DocumentCache documents_{settings_.cache.documents_bytes};
  api::ArchiveCache archives_;
  api::LinkedCache linked_;
  Result<peers::PeerKeys> peer_keys_;  // moved to peers_ when that is created
  std::unique_ptr<service::Leases> leases_;
  service::GarbageTotals garbage_;
  service::JobRuns job_runs_{clock_};
  std::unique_ptr<service::Backups> backups_ =
      MakeBackups(settings_, stores_, {.clock = clock_, .log = log_, .jobs = job_runs_});
  // Before the mirror, whose downloads it serves to other servers.
  std::unique_ptr<PeerParts> peers_;
  // After the caches: its threads announce changes to them until the threads have ended.
  std::unique_ptr<MirrorParts> mirror_;
  std::unique_ptr<IdentityParts> identity_;
  std::unique_ptr<MailParts> mail_;  // null: no mail is sent
  std::unique_ptr<service::PublishedCheck> published_check_;
  std::unique_ptr<api::Services> services_;
  std::unique_ptr<http::Router> router_;
  RequestObserver observer_;
  std::optional<http::TlsOptions> tls_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace koya
