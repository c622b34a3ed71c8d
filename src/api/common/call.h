// One API call: the exchange, the caller, and the use cases that a handler may call.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "base/byte_source.h"
#include "base/task.h"
#include "domain/access.h"
#include "http/server/router.h"
#include "service/common/reading.h"

namespace koya {
class Clock;
class HostName;
class Logger;
class ModuleAddress;
class ProviderAddress;
class Version;
class WorkerPool;
enum class ModuleLocationForm;
template <class Value>
class TopicCache;
}  // namespace koya
namespace koya::auth {
class CapabilitySigner;
class FormTokens;
}  // namespace koya::auth
namespace koya::service {
class AccessExplainer;
class Accounts;
class AnalysisProgress;
class Attachments;
class Audit;
class Backups;
class Callers;
class ClientArchives;
class ClientLogin;
class DeniedAttempts;
class DocsMirror;
class FirstRun;
class Freeze;
class GarbagePlanner;
class IdentityProviders;
class InstallationCheck;
class Inventory;
class JobRuns;
class MirrorCheck;
struct MirrorContext;
class MirrorCounter;
class MirrorImport;
class ModuleComparison;
class ModuleMetadata;
class ModuleMirror;
class ModulePublisher;
class Modules;
class MostFetched;
class NamespaceAdmin;
class Namespaces;
class Notifications;
class Policies;
class ProviderComparison;
class ProviderDocs;
class ProviderMirror;
class ProviderPublisher;
class ProviderSignIn;
class Providers;
class PublishedCheck;
class PullPolicy;
struct ReadingBudget;
class Reindexing;
class Replicas;
class RequestLimits;
class Search;
class SearchExamples;
class Sessions;
class SignIn;
class SigningKeys;
class Storage;
class StoredArtifacts;
class TokenExchange;
class Tokens;
class Trust;
class UpstreamStates;
class Usage;
class UsageCounter;
class VersionsBefore;
class Waiting;
}  // namespace koya::service

namespace koya::api {

// Dependencies of handlers, by feature. Built by app/, outlives the server. Use cases are only
// declared here: a handler includes those that it calls.

class DocumentCache;
struct Rendering;
struct ServedArchive;
using ArchiveCache = TopicCache<ServedArchive>;
// Data of documents that are signed for each reader, by path and variant.
using LinkedCache = TopicCache<Rendering>;

struct ModuleServices {
  service::Modules& published;
  service::ModulePublisher& publisher;
  service::ModuleMetadata& insides;
  service::ModuleComparison& comparison;
  service::AnalysisProgress& readings;
};

struct ProviderServices {
  service::Providers& published;
  service::ProviderPublisher& publisher;
  service::ProviderDocs& docs;
  service::ProviderComparison& comparison;
  service::SigningKeys& signing_keys;
};

// Packages of other registries: parts of service::Mirror.
struct MirrorServices {
  const service::PullPolicy& policy;
  service::UpstreamStates& states;
  service::MirrorCounter& counter;
  const service::MirrorContext& context;
  service::ProviderMirror& providers;
  service::ModuleMirror& modules;
  service::DocsMirror& docs;
  service::Inventory& inventory;
  service::Policies& policies;
  service::MirrorImport& import;
  service::MirrorCheck& check;
};

// Permissions.
struct RightsServices {
  service::Tokens& tokens;
  service::Namespaces& namespaces;
  service::NamespaceAdmin& namespace_admin;
  service::Accounts& accounts;
  service::AccessExplainer& explainer;
};

// Sign-in.
struct SignInServices {
  service::Sessions& sessions;
  service::SignIn& sign_in;
  service::ClientLogin& client_login;
  service::FirstRun& first_run;
  const auth::FormTokens& form_tokens;
  // Called when an administrator exists from now on. Run on a thread for readers; may be empty.
  std::function<void()> on_set_up = nullptr;
};

// Federated identities: users of sign-in providers, and CI jobs.
struct IdentityServices {
  service::IdentityProviders& providers;
  service::ProviderSignIn& sign_in;
  service::Trust& trust;
  service::TokenExchange& exchange;
  std::string audience = {};  // access.oidc_audience; "": the server's URL
};

struct AuditServices {
  service::Audit& entries;
  service::DeniedAttempts& denied;
};

// Usage statistics: who fetches which packages.
struct UsageServices {
  service::UsageCounter& counter;
  service::Usage& reports;
  service::Callers& callers;
  service::MostFetched& most_fetched;
  service::VersionsBefore& versions_before;
};

struct SearchServices {
  service::Search& index;
  service::SearchExamples& examples;
  service::Reindexing& reindexing;
};

// Tasks of operators.
struct UpkeepServices {
  service::StoredArtifacts& kept;
  service::PublishedCheck& published_check;
  service::Storage& storage;
  service::Replicas& replicas;
  service::InstallationCheck& installation;
  service::Waiting& waiting;
  service::ClientArchives& clients;
  service::Freeze& freeze;
  service::GarbagePlanner& garbage;
};

// Who may read at all. Settings access.*.
struct ReadingRules {
  bool anonymous_read = true;               // access.anonymous
  Visibility mirror = Visibility::kPublic;  // access.mirror
  std::chrono::seconds url_ttl = std::chrono::minutes(15);

  // Without anonymous reading, public things need a signed URL, too, since clients fetch archives
  // without their token.
  Visibility Effective(Visibility visibility) const {
    return anonymous_read ? visibility : std::max(visibility, Visibility::kInternal);
  }
};

// The pages. Settings web.*.
struct SiteRules {
  bool enabled = true;          // false: only the pages for signing in
  bool mcp = true;              // whether language models may ask at /-/mcp
  bool index = false;           // whether search engines may index them
  std::string name = {};        // "": the host
  std::string tagline_en = {};  // "": the built-in sentence
  std::string tagline_ja = {};  // "": as in English
  std::string tagline_zh = {};  // likewise
  std::string version = {};     // of the program
  std::string status_url = {};  // page with the registry's state; "": none
};

// Rules while the catalog does not answer.
struct OfflineRules {
  std::function<std::chrono::nanoseconds()> silent_for;  // 0: it answers
  std::chrono::seconds serve_stale{};  // how long cached documents are served meanwhile

  enum class Held { kConfirmed, kMarked, kTooOld };
  // The state of documents that were rendered earlier.
  Held held() const;
};
// The Warning of a document that is Held::kMarked. RFC 7234, 5.5: it could not be confirmed.
inline constexpr const char* kCatalogUnreachable = "111 koya \"Catalog Unreachable\"";

struct DiskSpace {
  std::uint64_t bytes = 0;
  std::uint64_t free_bytes = 0;
};

// The state of this process. Empty, or null: unavailable.
struct OperationsView {
  struct State {
    bool ready = false;
    std::vector<std::string> reasons;  // as in /readyz
  };
  std::function<State()> state = nullptr;
  std::function<std::string()> metrics = nullptr;  // the text of /metrics
  const service::JobRuns* jobs = nullptr;

  // Facts that take system calls; nullopt inside: unknown.
  struct Machine {
    std::optional<DiskSpace> disk;                      // of the data folder
    std::optional<UnixSeconds> certificate_expires_at;  // of the server's own certificate
  };
  std::function<Awaitable<Machine>()> machine = nullptr;
  std::string database = {};            // "SQLite" or "PostgreSQL"
  std::string store = {};               // "folder" or "bucket"
  service::Backups* backups = nullptr;  // null: this server makes none
};

struct Services {
  ModuleServices modules;
  ProviderServices providers;
  service::Attachments& attachments;
  MirrorServices mirror;
  RightsServices rights;
  SignInServices sign_in;
  IdentityServices identity;
  AuditServices audit;
  UsageServices usage;
  SearchServices search;
  UpkeepServices upkeep;
  service::Notifications& notifications;

  ReadingRules access;
  service::RequestLimits& limits;
  DocumentCache& documents;
  ArchiveCache& archives;
  LinkedCache& linked;
  const auth::CapabilitySigner& signer;
  service::ReadingBudget& readers;
  Logger& log;  // changes, and who made them
  const Clock& clock;
  std::uint64_t module_upload_bytes = 0;  // the routes' body limits
  std::uint64_t provider_zip_bytes = 0;
  ModuleLocationForm module_location = {};
  // The external base URL, "https://registry.example.com:8443", without a slash at the end. Set
  // before the server answers any request.
  std::string url;
  // The names under which clients request this server's own providers and modules in /mirror/ and
  // /origin/. Set before the server answers any request.
  std::vector<HostName> own_names;
  OfflineRules offline;
  SiteRules site = {};
  OperationsView operations = {};

  // Its host and port, as in addresses.
  std::string_view host() const;
  // The registry's name on pages: web.name, else the first administrator's, else the host.
  std::string SiteName() const;
  bool IsOwn(const HostName& host) const;
  // The names that configurations may use for this server.
  std::vector<HostName> Names() const;
};

// One API call: the exchange, the caller, and the use cases that a handler may call.

// The names of path parameters in route patterns.
inline constexpr std::array<std::string_view, 16> kPathNames{
    "arch", "file",      "hostname", "id",   "key_id",   "kind",   "language", "member",
    "name", "namespace", "os",       "path", "revision", "system", "type",     "version"};

// One of kPathNames: another name does not compile.
class PathName {
 public:
  consteval PathName(const char* text) : text_(text) {
    if (std::ranges::find(kPathNames, text_) == kPathNames.end()) throw "no route has such a name";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

struct Call {
  http::Exchange& exchange;
  Services& services;
  auth::Principal principal;  // anonymous, or the caller that presented a token
  std::string_view pattern;   // the route's
  // Visibility of the requested thing. A response that is not public must not be cached for other
  // callers.
  Visibility visibility = Visibility::kPublic;
  // The share of readers' memory and threads that this call takes.
  service::Reading reading = BeginReading();

  const http::Request& request() const { return exchange.request; }
  // The part of the path that stands for {name} in the pattern. REQUIRES: the pattern has it.
  std::string_view path(PathName name) const;
  // The namespaces whose entries the caller may see in a listing.
  ReadableNamespaces Readable() const;
  // The module address in {namespace}, {name} and {system}. Fails: kNotFound: on reading, an
  // address that cannot exist does not exist.
  Result<ModuleAddress> ModuleFromPath() const;
  // The provider address in {namespace} and {type}. Fails: likewise.
  Result<ProviderAddress> ProviderFromPath() const;
  // {version}, parsed leniently. Fails: kNotFound.
  Result<Version> VersionFromPath() const;
  // A new reading for the client that sent the request.
  service::Reading BeginReading() const;
};

// The reason in the field Koya-Break-Glass, percent-decoded, with which an administrator overrides
// a namespace's rule for publishing; "": none. Fails: kInvalid.
Result<std::string> ReadBreakGlass(const Call& call);

// ---- small request bodies, read into memory

// Default limit of ReadSmallBody: JSON requests are small.
inline constexpr std::uint64_t kSmallBody = 64 * 1024;
// Limit of a release's documents: SHA256SUMS (1 MiB), as hexadecimal digits, and keys.
inline constexpr std::uint64_t kReleaseBody = 8ULL << 20;
// Limit of a message to /-/mcp.
inline constexpr std::uint64_t kMessageBody = 1ULL << 20;
// Limit of keys: armored keys with many certifications are larger.
inline constexpr std::uint64_t kKeyBody = 256 * 1024;

// The whole body. Fails: kTooLarge over `most` bytes, and as the source.
Task<std::string> ReadSmallBody(ByteSource& body, std::uint64_t most = kSmallBody);

}  // namespace koya::api
