#include "api/common/api_fixture_fake.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <thread>

#include "api/common/call.h"
#include "api/common/mirror_services.h"
#include "api/common/page_context.h"
#include "api/routes.h"
#include "base/run_task.h"
#include "base/text.h"
#include "base/text_source_fake.h"
#include "catalog/catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/sql/open_catalog.h"
#include "domain/host_name.h"
#include "domain/version_step.h"
#include "http/server/message.h"
#include "service/access/access_explanation.h"
#include "service/access/accounts.h"
#include "service/access/namespace_admin.h"
#include "service/access/namespaces.h"
#include "service/access/tokens.h"
#include "service/audit/audit.h"
#include "service/audit/denied_attempts.h"
#include "service/common/version_rules.h"
#include "service/mirror/gate.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/mirror_setup.h"
#include "service/mirror/pull_policy.h"
#include "service/modules/modules.h"
#include "service/modules/reading_upkeep.h"
#include "service/operate/client_archives.h"
#include "service/operate/collect_garbage.h"
#include "service/operate/installation.h"
#include "service/operate/notifications.h"
#include "service/operate/replicas.h"
#include "service/operate/storage.h"
#include "service/providers/provider_docs.h"
#include "service/providers/providers.h"
#include "service/providers/signing_keys.h"
#include "service/search/reindex.h"
#include "service/search/search.h"
#include "service/usage/callers.h"
#include "service/usage/usage.h"
#include "service/verify/published_check.h"
#include "service/verify/stored_artifacts.h"

namespace koya::api {
namespace {

std::string ReadFile(const http::FileBody& file) {
  if (file.growth && file.size > 0) {
    // The engine sends it as it grows; here it is read when it is whole.
    Result<std::uint64_t> end = RunTask(file.growth->WaitBeyond(file.size - 1));
    if (!end) return "cut off: " + end.error().message;
  }
  if (file.memory != nullptr) return {file.memory, file.size};
  std::string bytes(file.size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    ssize_t got = ::pread(file.descriptor, bytes.data() + done, bytes.size() - done,
                          static_cast<off_t>(done));
    if (got <= 0) throw std::runtime_error("the file is shorter than its answer says");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

// Field lines of a document's laid-out head, without the status line.
std::vector<std::pair<std::string, std::string>> ParseHead(std::string_view head) {
  std::vector<std::pair<std::string, std::string>> fields;
  while (!head.empty()) {
    std::size_t end = head.find("\r\n");
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
    if (std::size_t colon = line.find(": "); colon != std::string_view::npos) {
      fields.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
  }
  return fields;
}

unsigned StatusOfHead(std::string_view head) {
  return static_cast<unsigned>(std::stoi(std::string(head.substr(head.find(' ') + 1, 3))));
}

std::string ReadAll(ByteSource& source) {
  std::string bytes;
  while (true) {
    Result<std::span<const std::byte>> piece = RunTask(source.Read());
    if (!piece) return "cut off: " + piece.error().message;
    if (piece->empty()) return bytes;
    for (std::byte each : *piece) bytes += static_cast<char>(each);
  }
}

Reply LayOpen(const http::Response& response) {
  Reply reply{
      .status = response.status, .fields = response.fields, .body = {}, .etag = response.etag};
  if (auto* text = std::get_if<std::string>(&response.body)) reply.body = *text;
  if (auto* file = std::get_if<http::FileBody>(&response.body)) reply.body = ReadFile(*file);
  if (auto* source = std::get_if<std::unique_ptr<ByteSource>>(&response.body)) {
    reply.body = ReadAll(**source);
  }
  if (auto* held = std::get_if<std::shared_ptr<const http::Document>>(&response.body)) {
    const http::Document& document = **held;
    reply.status = StatusOfHead(document.head_identity);
    reply.fields = ParseHead(document.head_identity);
    reply.fields.insert(reply.fields.end(), response.fields.begin(), response.fields.end());
    reply.body = document.body;
    reply.etag = document.etag;
  }
  return reply;
}

template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message + " " + result.error().detail);
  return *std::move(result);
}

HostName Pulled() { return *HostName::Parse("registry.example.org"); }

}  // namespace

std::string Reply::Get(std::string_view name) const {
  for (const auto& [key, value] : fields) {
    if (EqualsIgnoreCase(key, name)) return value;
  }
  return {};
}

ApiFixture::ApiFixture(service::PublishOptions options,
                       service::ProviderPublishOptions provider_options)
    : options_(options), provider_options_(provider_options) {
  catalog_ = Must(OpenCatalog({.url = MigratedSqlite(folder_ / "koya.db"),
                               .read_timeout = std::chrono::hours(1),
                               .write_timeout = std::chrono::hours(1),
                               .durable = false}));
  OpenParts();
}

ApiFixture::ApiFixture(std::shared_ptr<Catalog> catalog) : catalog_(std::move(catalog)) {
  OpenParts();
}

void ApiFixture::OpenParts() {
  new_namespaces_ = options_.new_namespaces.get();
  blobs_ = std::make_unique<MemoryBlobStore>();
  parts_ = CatalogParts(*catalog_);
  changes_ = std::make_unique<service::ChangeFeed>(*catalog_);
  freeze_ = std::make_unique<service::Freeze>(*catalog_);
  changes_->AddListener([this](std::string_view topic) { freeze_->Invalidate(topic); });
  changes_->AddListener([this](std::string_view topic) { documents_.Invalidate(topic); });
  changes_->AddListener([this](std::string_view topic) { archives_.Invalidate(topic); });
  changes_->AddListener([this](std::string_view topic) { linked_.Invalidate(topic); });
  modules_ = std::make_unique<service::Modules>(*catalog_, *blobs_, index_queue_, clock,
                                                std::chrono::hours(24));
  insides_ =
      std::make_unique<service::ModuleMetadata>(*catalog_, *blobs_, workers_, options_.archive);
  readings_ = std::make_unique<service::AnalysisProgress>(*catalog_, *insides_);
  comparison_ = std::make_unique<service::ModuleComparison>(*catalog_, *insides_);
  judge_ =
      std::make_unique<service::SemverCheck>(*catalog_, *insides_, workers_, SemverRule::kWarn);
  provider_docs_ = std::make_unique<service::ProviderDocs>(*catalog_, *blobs_);
  provider_comparison_ =
      std::make_unique<service::ProviderComparison>(*catalog_, *provider_docs_, workers_);
  release_judge_ = std::make_unique<service::ReleaseSemverCheck>(*catalog_, *provider_comparison_,
                                                                 SemverRule::kWarn);
  contents_ = std::make_unique<service::StoredContents>(*insides_, *provider_docs_);
  publisher_ = std::make_unique<service::ModulePublisher>(
      *catalog_, *blobs_, workers_, *changes_, *insides_, *judge_, index_queue_, clock, options_);
  uses_ = std::make_unique<service::LastUsedTracker>(*catalog_, log_);
  // No other server writes here: whatever was committed has been announced.
  known_tokens_ = std::make_unique<service::TokenCache>(TimeSinceBoot);
  changes_->AddListener([this](std::string_view topic) { known_tokens_->Invalidate(topic); });
  tokens_ = std::make_unique<service::Tokens>(*catalog_, *catalog_, *known_tokens_, clock, *uses_);
  namespaces_ =
      std::make_unique<service::Namespaces>(*catalog_, service::DefaultVisibility(new_namespaces_));
  changes_->AddListener([this](std::string_view topic) { namespaces_->Invalidate(topic); });
  search_examples_ = std::make_unique<service::SearchExamples>(*catalog_, *namespaces_, clock);
  changes_->AddListener([this](std::string_view topic) { search_examples_->Invalidate(topic); });
  signing_keys_ = std::make_unique<service::SigningKeys>(*catalog_, sealer_, workers_, clock);
  providers_ = std::make_unique<service::Providers>(*catalog_, *blobs_, index_queue_, clock,
                                                    std::chrono::hours(24));
  provider_publisher_ = std::make_unique<service::ProviderPublisher>(
      *catalog_, *blobs_, *signing_keys_, workers_, *changes_, *release_judge_, index_queue_, clock,
      provider_options_);
  attachments_ = std::make_unique<service::Attachments>(*catalog_, *blobs_, workers_, clock,
                                                        provider_options_.attachments);
  sessions_ =
      std::make_unique<service::Sessions>(*catalog_, *catalog_, *known_tokens_, clock, *uses_);
  sign_in_ = std::make_unique<service::SignIn>(*catalog_, *sessions_, password_work_, throttle_,
                                               clock, "a secret of the tests");
  client_login_ = std::make_unique<service::ClientLogin>(*catalog_, *catalog_, *catalog_, clock,
                                                         std::chrono::days(90));
  identity_providers_ =
      std::make_unique<service::IdentityProviders>(*catalog_, issuers, sealer_, clock);
  provider_sign_in_ = std::make_unique<service::ProviderSignIn>(*identity_providers_, *catalog_,
                                                                issuers, sealer_, clock);
  trust_ = std::make_unique<service::Trust>(*catalog_, *catalog_, clock);
  token_exchange_ =
      std::make_unique<service::TokenExchange>(*catalog_, *catalog_, *catalog_, issuers, clock);
  first_run_ = std::make_unique<service::FirstRun>(*catalog_, *catalog_, password_work_, throttle_,
                                                   clock, &new_namespaces_);
  SettleMirror();
}

void ApiFixture::AddUser(const std::string& name, const std::string& password, bool admin) {
  const auth::Principal root = auth::Principal::Operator();
  service::NewAccount user{.name = name, .admin = admin};
  Must(RunTask(accounts_->Create(root, std::move(user))));
  Status set = RunTask(sign_in_->SetPassword(root, name, password));
  if (!set) throw std::runtime_error(set.error().message);
}

std::string ApiFixture::SetUpToken() { return Must(RunTask(first_run_->MakeToken())).value_or(""); }

void ApiFixture::SettleMirror() {
  router_.reset();
  services_.reset();
  published_check_.reset();
  mirror_.reset();
  mirror_ = std::make_unique<service::Mirror>(
      service::MirrorDependencies{*catalog_,
                                  *blobs_,
                                  *changes_,
                                  clock,
                                  *uses_,
                                  log_,
                                  upstream,
                                  upstream_modules,
                                  {},
                                  mirror_docs ? &upstream_docs : nullptr,
                                  &index_queue_,
                                  freeze_.get()},
      service::MirrorSetup{.policy = Must(service::PullPolicy::Make({}, {}, {Pulled()})),
                           .module_fetch = {.scratch_folder = folder_.path()}});
  accounts_ = std::make_unique<service::Accounts>(*catalog_, clock);
  namespace_admin_ = std::make_unique<service::NamespaceAdmin>(
      *catalog_, clock, service::DefaultVisibility(new_namespaces_));
  audit_ = std::make_unique<service::Audit>(*catalog_);
  denied_ = std::make_unique<service::DeniedAttempts>(*catalog_, log_);
  published_check_ =
      std::make_unique<service::PublishedCheck>(*catalog_, mirror_->review, clock, log_);
  limits_ = std::make_unique<service::RequestLimits>(*catalog_, log_, clock, allowances,
                                                     [this] { return since_boot; });
  most_fetched_ = std::make_unique<service::MostFetched>(*catalog_, *namespaces_, clock);
  usage_ = std::make_unique<service::UsageCounter>(*catalog_, log_, clock, usage_rules);
  installation_ = std::make_unique<service::InstallationCheck>(*catalog_, "a secret", "");
  usage_reports_ = std::make_unique<service::Usage>(*catalog_, clock);
  waiting_ = std::make_unique<service::Waiting>(*tokens_, *signing_keys_, clock);
  notifications_ = std::make_unique<service::Notifications>(*catalog_, *catalog_, *namespaces_,
                                                            *waiting_, clock);
  clients_ = std::make_unique<service::ClientArchives>(
      service::ClientArchiveSetup{site.version, client_tree, {}, folder_ / "clients"}, workers_);
  reindexing_ = std::make_unique<service::Reindexing>(*catalog_, *contents_, workers_);
  callers_ = std::make_unique<service::Callers>(*catalog_, workers_);
  versions_before_ = std::make_unique<service::VersionsBefore>(*catalog_);
  search_ = std::make_unique<service::Search>(*catalog_, *catalog_, index_queue_,
                                              std::chrono::milliseconds(0));
  kept_ = std::make_unique<service::StoredArtifacts>(*catalog_, *blobs_);
  storage_ = std::make_unique<service::Storage>(*catalog_);
  garbage_ = std::make_unique<service::GarbagePlanner>(
      *catalog_, *blobs_, clock, service::GarbagePlanner::Rules{.grace = std::chrono::hours(24)});
  replicas_ = std::make_unique<service::Replicas>(*catalog_, *catalog_);
  access_explainer_ = std::make_unique<service::AccessExplainer>(
      *catalog_, *catalog_, service::DefaultVisibility(new_namespaces_));
  services_ = std::make_unique<Services>(Services{
      .modules = {.published = *modules_,
                  .publisher = *publisher_,
                  .insides = *insides_,
                  .comparison = *comparison_,
                  .readings = *readings_},
      .providers = {.published = *providers_,
                    .publisher = *provider_publisher_,
                    .docs = *provider_docs_,
                    .comparison = *provider_comparison_,
                    .signing_keys = *signing_keys_},
      .attachments = *attachments_,
      .mirror = ServicesOf(*mirror_),
      .rights = {.tokens = *tokens_,
                 .namespaces = *namespaces_,
                 .namespace_admin = *namespace_admin_,
                 .accounts = *accounts_,
                 .explainer = *access_explainer_},
      .sign_in = {.sessions = *sessions_,
                  .sign_in = *sign_in_,
                  .client_login = *client_login_,
                  .first_run = *first_run_,
                  .form_tokens = form_tokens_},
      .identity = {.providers = *identity_providers_,
                   .sign_in = *provider_sign_in_,
                   .trust = *trust_,
                   .exchange = *token_exchange_},
      .audit = {.entries = *audit_, .denied = *denied_},
      .usage = {.counter = *usage_,
                .reports = *usage_reports_,
                .callers = *callers_,
                .most_fetched = *most_fetched_,
                .versions_before = *versions_before_},
      .search = {.index = *search_, .examples = *search_examples_, .reindexing = *reindexing_},
      .upkeep = {.kept = *kept_,
                 .published_check = *published_check_,
                 .storage = *storage_,
                 .replicas = *replicas_,
                 .installation = *installation_,
                 .waiting = *waiting_,
                 .clients = *clients_,
                 .freeze = *freeze_,
                 .garbage = *garbage_},
      .notifications = *notifications_,
      .access = access,
      .limits = *limits_,
      .documents = documents_,
      .archives = archives_,
      .linked = linked_,
      .signer = signer_,
      .readers = readers_,
      .log = log_,
      .clock = clock,
      .module_upload_bytes = options_.upload_bytes,
      .provider_zip_bytes = provider_options_.zip_bytes,
      .module_location = module_location,
      .url = "https://registry.example.com",
      .offline = {[this] { return silent_for; }, std::chrono::hours(1)},
      .site = site,
      .operations = operations});
  services_->own_names = {*HostName::Parse("registry.example.com")};
  router_ = std::make_unique<http::Router>(BindRoutes(*services_), BindElsewhere(*services_));
}

void ApiFixture::Deny(const std::string& pattern) {
  mirror_->policy = Must(service::PullPolicy::Make({}, {pattern}, {Pulled()}));
  mirror_->gate.Invalidate("");
}

void ApiFixture::WriteUses() { RunTask(uses_->Write()); }
void ApiFixture::ShareSentBytes() { RunTask(limits_->Share()); }

void ApiFixture::WriteUsage() { RunTask(usage_->Write()); }

void ApiFixture::WriteMirrorCounts() {
  while (mirror_->provider_fetch.under_way() > 0) std::this_thread::yield();
  RunTask(mirror_->counter.Write());
}

void ApiFixture::WriteAudit() {
  RunTask(denied_->WriteAll());
  Must(RunTask(catalog_->ChainAudit(1000)));
}

ApiFixture::~ApiFixture() = default;

Reply ApiFixture::Ask(const Question& question) {
  // Published things are found: a server indexes them beside the requests.
  RunTask(index_queue_.Work(*reindexing_, log_, stopping_));
  http::Router::Match match = router_->FindRoute(question.method, question.path);
  if (match.route == nullptr) {
    return {.status = match.allow.empty() ? 404U : 405U, .fields = {}, .body = {}, .etag = {}};
  }
  std::vector<http::Field> fields;
  for (const auto& [key, value] : question.fields) fields.push_back({key, value});
  std::string bearer = "Bearer " + token;
  if (!token.empty()) fields.push_back({"Authorization", bearer});
  http::Request request;
  request.method = question.method;
  request.path = question.path;
  request.query = question.query;
  request.fields = fields;
  request.host = "registry.example.com";
  request.remote = question.remote;
  request.request_id = "the-request";
  request.has_body = !question.body.empty();
  TextSource body(question.body);
  http::Exchange exchange{request, match.parameters, body};
  std::optional<http::Response> response;
  if (match.route->ready) response = match.route->ready(exchange);
  if (!response) RunTask(StoreOutcome(match.route->handler(exchange), &response));
  Reply reply = LayOpen(*response);
  if (exchange.meter) *exchange.meter += reply.body.size();
  // As the engine does for these requests: complete ones, with GET.
  if (exchange.tally && question.method == http::Method::kGet) *exchange.tally += 1;
  return reply;
}

Reply ApiFixture::Get(std::string path, std::string user_agent) {
  Question question;
  question.path = std::move(path);
  question.fields = {{"User-Agent", std::move(user_agent)}};
  return Ask(question);
}

namespace {

// What the question says itself, for answers that no route makes; `fields` outlives it.
http::Request PlainRequest(const Question& question, std::vector<http::Field>& fields) {
  for (const auto& [key, value] : question.fields) fields.push_back({key, value});
  http::Request request;
  request.method = question.method;
  request.path = question.path;
  request.fields = fields;
  request.remote = question.remote;
  request.request_id = "the-request";
  return request;
}

}  // namespace

Reply ApiFixture::Refuse(unsigned status, std::string_view target, const Question& question) {
  std::vector<http::Field> fields;
  const http::Request request = PlainRequest(question, fields);
  http::Response answer = EngineErrorAnswer(
      {.status = status, .message = "it is <refused>", .request = request, .target = target},
      *services_);
  // As the engine does.
  answer.status = status;
  return LayOpen(answer);
}

Reply ApiFixture::FailPage(ErrorKind kind, const Question& question) {
  std::vector<http::Field> fields;
  http::Request request = PlainRequest(question, fields);
  request.host = "registry.example.com";
  Error error{kind, "it is <failing>", {}};
  return LayOpen(RunTask(ErrorAnswer(Access::kBrowse, std::move(error), request, *services_)));
}

Reply ApiFixture::Publish(std::string address, std::string version, std::string archive) {
  Question question;
  question.method = http::Method::kPut;
  question.path = fmt::format("/api/v1/modules/{}/{}", address, version);
  question.body = std::move(archive);
  return Ask(question);
}

Reply ApiFixture::Withdraw(std::string address, std::string version, std::string reason) {
  Question question;
  question.method = http::Method::kDelete;
  question.path = fmt::format("/api/v1/modules/{}/{}", address, version);
  question.body = fmt::format(R"({{"reason":"{}"}})", reason);
  return Ask(question);
}

std::string ApiFixture::Token(Scope scope, std::vector<std::string> namespaces,
                              std::optional<std::chrono::seconds> expires) {
  service::NewToken request{.name = fmt::format("t{}", ++tokens_made_),
                            .scope = scope,
                            .namespaces = std::move(namespaces),
                            .expires = expires,
                            .never_ends = !expires};
  return Must(RunTask(tokens_->Create(auth::Principal::Operator(), std::move(request)))).text;
}

std::string PackFiles(const std::map<std::string, std::string>& files) {
  std::unique_ptr<archive, int (*)(archive*)> writer(archive_write_new(), archive_write_free);
  archive_write_set_format_ustar(writer.get());
  archive_write_add_filter_gzip(writer.get());
  // The time of packing is left out: the same files are the same bytes in the next second, too.
  archive_write_set_filter_option(writer.get(), "gzip", "timestamp", nullptr);
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  std::size_t room = 1 << 20;
  for (const auto& [path, content] : files) room += content.size();
  std::string out(room, '\0');
  std::size_t used = 0;
  if (archive_write_open_memory(writer.get(), out.data(), out.size(), &used) != ARCHIVE_OK) {
    throw std::runtime_error("cannot write an archive to memory");
  }
  for (const auto& [path, content] : files) {
    std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                   archive_entry_free);
    archive_entry_set_pathname(entry.get(), path.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_write_header(writer.get(), entry.get());
    archive_write_data(writer.get(), content.data(), content.size());
  }
  archive_write_close(writer.get());
  out.resize(used);
  return out;
}

std::string ModuleArchive(const std::string& marker) {
  return PackFiles({{"README.md", "# VPC\n"},
                    {"main.tf", "# " + marker + "\n"},
                    {"modules/sub/main.tf", "# sub\n"}});
}

std::string WrappedModuleArchive(const std::string& marker) {
  return PackFiles(
      {{"vpc-1.0.0/main.tf", "# " + marker + "\n"}, {"vpc-1.0.0/README.md", "# vpc\n"}});
}

}  // namespace koya::api
