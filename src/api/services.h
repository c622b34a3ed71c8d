// What handlers work with, by feature. Built by app/, outlives the server. Use cases are only
// declared here: a handler includes those that it calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/visibility.h"

namespace koya {
class Clock;
class HostName;
class Logger;
class WorkerPool;
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
class Audit;
class Callers;
class ClientLogin;
class DeniedAttempts;
class DocHistories;
class DocsMirror;
class FirstRun;
class IdentityProviders;
class InstallationCheck;
class Inventory;
class JobRuns;
class KeptList;
class MirrorCheck;
struct MirrorContext;
class MirrorCounter;
class MirrorImport;
class ModuleComparison;
class ModuleInsides;
class ModuleMirror;
class ModulePublisher;
class Modules;
class MostFetched;
class NamespaceAdmin;
class Namespaces;
class ProviderComparison;
class ProviderDocs;
class ProviderMirror;
class ProviderPublisher;
class ProviderSignIn;
class Providers;
class PublishedCheck;
class PullPolicy;
struct ReadingRoom;
class Readings;
class Reindexing;
class Replicas;
class RequestLimits;
class Search;
class SearchExamples;
class Sessions;
class SignIn;
class SigningKeys;
class Storage;
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

class DocumentCache;
struct Rendering;
struct ServedArchive;
using ArchiveCache = TopicCache<ServedArchive>;
// What documents that are signed for each reader are made of, by path and variant.
using LinkedCache = TopicCache<Rendering>;

struct ModuleServices {
  service::Modules& published;
  service::ModulePublisher& publisher;
  service::ModuleInsides& insides;
  service::ModuleComparison& comparison;
  service::Readings& readings;
};

struct ProviderServices {
  service::Providers& published;
  service::ProviderPublisher& publisher;
  service::ProviderDocs& docs;
  service::DocHistories& doc_histories;
  service::ProviderComparison& comparison;
  service::SigningKeys& signing_keys;
};

// What is here of other registries: parts of service::Mirror.
struct MirrorServices {
  const service::PullPolicy& policy;
  service::UpstreamStates& states;
  service::MirrorCounter& counter;
  const service::MirrorContext& context;
  service::ProviderMirror& providers;
  service::ModuleMirror& modules;
  service::DocsMirror& docs;
  service::Inventory& inventory;
  service::MirrorImport& import;
  service::MirrorCheck& check;
};

// Who may do what.
struct RightsServices {
  service::Tokens& tokens;
  service::Namespaces& namespaces;
  service::NamespaceAdmin& namespace_admin;
  service::Accounts& accounts;
  service::AccessExplainer& explainer;
};

// How people come in.
struct SignInServices {
  service::Sessions& sessions;
  service::SignIn& sign_in;
  service::ClientLogin& client_login;
  service::FirstRun& first_run;
  const auth::FormTokens& form_tokens;
  // There is an administrator from now on. Run on a thread for readers; may be empty.
  std::function<void()> on_set_up = nullptr;
};

// Who comes in by the word of somebody else: people of sign-in providers, and CI.
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

// Who fetches what.
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

// What operators look after.
struct UpkeepServices {
  service::KeptList& kept;
  service::PublishedCheck& published_check;
  service::Storage& storage;
  service::Replicas& replicas;
  service::InstallationCheck& installation;
  service::Waiting& waiting;
};

// Who may read at all. Settings access.*.
struct ReadingRules {
  bool strangers_read = true;               // access.anonymous
  Visibility mirror = Visibility::kPublic;  // access.mirror
  std::chrono::seconds url_ttl = std::chrono::minutes(15);
};

// The pages. Settings web.*.
struct SiteRules {
  bool enabled = true;          // false: those through which people come in, and no others
  bool index = false;           // whether search engines may look at them
  std::string name = {};        // "": the host
  std::string tagline_en = {};  // "": a sentence of ours
  std::string tagline_ja = {};  // "": as in English
  std::string tagline_zh = {};  // the same
  std::string version = {};     // of the program
  std::string status_url = {};  // where the registry's state can be seen; "": nowhere
};

// What holds while the catalog does not answer.
struct OfflineRules {
  std::function<std::chrono::nanoseconds()> silent_for;  // 0: it answers
  std::chrono::seconds serve_stale{};  // how long documents that are held are given meanwhile

  enum class Held { kConfirmed, kMarked, kTooOld };
  // What documents are now that were made before.
  Held held() const;
};
// The Warning of a document that is Held::kMarked. RFC 7234, 5.5: it could not be confirmed.
inline constexpr const char* kCatalogUnreachable = "111 koya \"Catalog Unreachable\"";

// What this process knows of itself. Empty, or null: nobody tells.
struct OperationsView {
  struct State {
    bool ready = false;
    std::vector<std::string> reasons;  // as /readyz names them
  };
  std::function<State()> state = nullptr;
  std::function<std::string()> metrics = nullptr;  // as /metrics answers
  const service::JobRuns* jobs = nullptr;
};

struct Services {
  ModuleServices modules;
  ProviderServices providers;
  MirrorServices mirror;
  RightsServices rights;
  SignInServices sign_in;
  IdentityServices identity;
  AuditServices audit;
  UsageServices usage;
  SearchServices search;
  UpkeepServices upkeep;

  ReadingRules access;
  service::RequestLimits& limits;
  DocumentCache& documents;
  ArchiveCache& archives;
  LinkedCache& linked;
  const auth::CapabilitySigner& signer;
  service::ReadingRoom& readers;
  Logger& log;  // what changed, and by whom
  const Clock& clock;
  std::uint64_t module_upload_bytes = 0;  // the routes' body limits
  std::uint64_t provider_zip_bytes = 0;
  // The external base URL, "https://registry.example.com:8443", without a slash at the end. Set
  // before the server answers anybody.
  std::string url;
  // The names under which this server's own providers and modules are asked for in /mirror/ and
  // /origin/. Set before the server answers anybody.
  std::vector<HostName> own_names;
  OfflineRules offline;
  SiteRules site = {};
  OperationsView operations = {};

  // Its host and port, as they stand in addresses.
  std::string_view host() const;
  bool IsOwn(const HostName& host) const;
  // The names that configurations may call this server by.
  std::vector<HostName> Names() const;
};

}  // namespace koya::api
