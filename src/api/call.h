// One API call: the exchange, who is calling, and the use cases a handler may ask.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/document_cache.h"
#include "auth/capability.h"
#include "auth/principal.h"
#include "base/clock.h"
#include "base/offload.h"
#include "base/task.h"
#include "base/topic_cache.h"
#include "http/server/router.h"
#include "obs/log.h"
#include "service/access_explanation.h"
#include "service/accounts.h"
#include "service/audit.h"
#include "service/callers.h"
#include "service/denied_attempts.h"
#include "service/installation.h"
#include "service/job_runs.h"
#include "service/kept_list.h"
#include "service/mirror/mirror.h"
#include "service/module_insides.h"
#include "service/modules.h"
#include "service/most_fetched.h"
#include "service/namespace_admin.h"
#include "service/namespaces.h"
#include "service/provider_docs.h"
#include "service/providers.h"
#include "service/publish_module.h"
#include "service/publish_provider.h"
#include "service/published_check.h"
#include "service/readings.h"
#include "service/reindex.h"
#include "service/replicas.h"
#include "service/request_limits.h"
#include "service/search.h"
#include "service/search_examples.h"
#include "service/signing_keys.h"
#include "service/storage.h"
#include "service/tokens.h"
#include "service/usage.h"
#include "service/usage_counter.h"
#include "service/versions_before.h"
#include "service/waiting.h"

namespace koya::auth {
class FormTokens;
}
namespace koya::service {
class ClientLogin;
class DocHistories;
class FirstRun;
class IdentityProviders;
class ModuleComparison;
class ProviderComparison;
class ProviderSignIn;
class Sessions;
class SignIn;
class TokenExchange;
class Trust;
}  // namespace koya::service

namespace koya::api {

// What a path leads to: an archive, and what its answers say. The store keeps blobs open as long as
// it has descriptors to spare: this does not.
struct ServedArchive {
  std::weak_ptr<Blob> blob;
  std::string etag;  // quoted
  std::string media_type;
  // From then on it is opened anew, which notes that it is in use; 0: whenever the store likes.
  UnixSeconds kept_until = 0;
  // Its bytes were put beside the documents, by its ETag, so that no store is needed for them.
  bool in_memory = false;
  std::shared_ptr<const void> counted_as{};  // http::Response::counted_as
};

using ArchiveCache = TopicCache<ServedArchive>;

struct Rendering;
// What documents that are signed for each reader are made of, by path and variant.
using LinkedCache = TopicCache<Rendering>;

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

// How people come in.
struct SignInServices {
  service::Sessions& sessions;
  service::SignIn& sign_in;
  service::ClientLogin& client_login;
  service::FirstRun& first_run;
  const auth::FormTokens& form_tokens;
  // There is an administrator from now on. Run on `workers`; may be empty.
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

// What handlers work with. Built by app/, outlives the server.
struct Services {
  service::Modules& modules;
  service::ModulePublisher& publisher;
  service::ModuleInsides& insides;
  service::ModuleComparison& comparison;
  service::Providers& providers;
  service::ProviderPublisher& provider_publisher;
  service::ProviderDocs& provider_docs;
  service::DocHistories& doc_histories;
  service::ProviderComparison& provider_comparison;
  service::SigningKeys& signing_keys;
  service::Tokens& tokens;
  service::Namespaces& namespaces;
  ReadingRules access;
  service::Mirror& mirror;  // what is here of other registries
  service::PublishedCheck& published_check;
  service::KeptList kept;
  DocumentCache& documents;
  ArchiveCache& archives;
  LinkedCache& linked;
  const auth::CapabilitySigner& signer;
  WorkerPool& workers;  // for encoding large documents
  Logger& log;          // what changed, and by whom
  const Clock& clock;
  std::uint64_t module_upload_bytes = 0;  // the routes' body limits
  std::uint64_t provider_zip_bytes = 0;
  // The external base URL, "https://registry.example.com:8443", without a slash at the end. Set
  // before the server answers anybody.
  std::string url;
  // The names under which this server's own providers and modules are asked for in /mirror/ and
  // /origin/. Set before the server answers anybody.
  std::vector<HostName> own_names;
  service::Accounts& accounts;
  service::NamespaceAdmin& namespace_admin;
  service::Audit& audit;
  service::DeniedAttempts& denied;
  service::RequestLimits& limits;
  service::UsageCounter& usage;
  service::Usage usage_reports;
  service::Callers callers;
  service::MostFetched& most_fetched;
  service::Waiting waiting;
  service::VersionsBefore versions_before;
  service::SearchExamples& search_examples;
  SignInServices sign_in;
  IdentityServices identity;
  service::InstallationCheck& installation;
  service::Replicas replicas;
  service::Search search;
  service::Readings& readings;
  service::Reindexing reindexing;
  OfflineRules offline;
  SiteRules site = {};
  service::AccessExplainer access_explainer;
  service::Storage storage;
  OperationsView operations = {};
  // Its host and port, as they stand in addresses.
  std::string_view host() const;
  bool IsOwn(const HostName& host) const;
  // The names that configurations may call this server by.
  std::vector<HostName> Names() const;
};

// What the patterns of routes call the parts of a path.
inline constexpr std::array<std::string_view, 15> kPathNames{
    "arch", "file",      "hostname", "id",   "key_id", "kind", "language", "member",
    "name", "namespace", "os",       "path", "system", "type", "version"};

// One of them: another does not compile.
class PathName {
 public:
  consteval PathName(const char* text) : text_(text) {
    if (std::ranges::find(kPathNames, text_) == kPathNames.end()) throw "no route has such a name";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// Which of a pattern's {names} this is. REQUIRES: it has it.
std::size_t PositionOf(std::string_view pattern, PathName name);

struct Call {
  http::Exchange& exchange;
  Services& services;
  auth::Principal principal;  // a stranger, or whoever presented a token
  std::string_view pattern;   // the route's
  // Of what is asked for. What is not public is not to be kept for others.
  Visibility visibility = Visibility::kPublic;

  const http::Request& request() const { return exchange.request; }
  // The part of the path that stands where the pattern has {name}. REQUIRES: it has.
  std::string_view path(PathName name) const;
  // What of a listing the caller may know of.
  ReadableNamespaces Readable() const;
  // The address that {namespace}, {name} and {system} are. Fails: kNotFound: on reading, an address
  // that cannot exist does not exist.
  Result<ModuleAddress> ModuleFromPath() const;
  // The same of a provider: {namespace} and {type}.
  Result<ProviderAddress> ProviderFromPath() const;
  // {version}, read leniently. Fails: kNotFound.
  Result<Version> VersionFromPath() const;
};

}  // namespace koya::api
