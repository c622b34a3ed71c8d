#include "upstream/openid/http_issuer_client.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/expiring_map.h"
#include "base/fair_pool.h"
#include "base/result.h"
#include "base/single_flight.h"
#include "base/text.h"
#include "http/url.h"
#include "upstream/address_policy.h"
#include "upstream/guarded_request.h"
#include "wire/foreign/openid.h"

namespace koya::upstream {
namespace {

// Caches documents of issuers: fresh for a while, and usable for longer while no newer one arrives.
// Thread-safe; holds at most `most` documents.
template <class T>
class IssuerDocuments {
 public:
  using Document = std::shared_ptr<const T>;

  // `usable`: how long a document counts if it cannot be fetched again.
  IssuerDocuments(std::size_t most, std::chrono::seconds usable) : usable_(usable), kept_(most) {}

  // The result without a request: a document, or a recent failure.
  std::optional<Result<Document>> FindFresh(const std::string& key, SteadyTime now) const {
    std::optional<Entry> entry = kept_.Find(key, now);
    if (!entry || entry->ask_at <= now) return std::nullopt;
    return Answer(*entry);
  }
  // Likewise, but only a result that was requested after `asked_since`, however fresh others are.
  std::optional<Result<Document>> FindSince(const std::string& key, SteadyTime now,
                                            SteadyTime asked_since) const {
    std::optional<Entry> entry = kept_.Find(key, now);
    if (!entry || entry->asked_at <= asked_since) return std::nullopt;
    return Answer(*entry);
  }

  // Stores a document that has just arrived; `ask_at` is the time of the next request.
  void Put(const std::string& key, Document document, SteadyTime now, SteadyTime ask_at) {
    kept_.Put(key, {.document = std::move(document), .asked_at = now, .ask_at = ask_at},
              now + usable_);
  }
  // Records a failed request. Returns the cached document if that is still usable, else the
  // failure.
  Result<Document> Fail(const std::string& key, Error error, SteadyTime now, SteadyTime ask_at) {
    auto slot = kept_.Peek(key);
    if (slot && slot->until > now && slot->value.document) {
      slot->value.asked_at = now;
      slot->value.ask_at = ask_at;
      kept_.Put(key, slot->value, slot->until);
      return slot->value.document;
    }
    kept_.Put(key, {.failure = error, .asked_at = now, .ask_at = ask_at}, ask_at);
    return Failure(std::move(error));
  }
  void Erase(const std::string& key) { kept_.Erase(key); }

 private:
  struct Entry {
    Document document = nullptr;  // null: there is none, because of `failure`
    Error failure = {};
    SteadyTime asked_at = {};
    SteadyTime ask_at = {};  // no request before then unless necessary
  };

  static Result<Document> Answer(const Entry& entry) {
    if (entry.document) return entry.document;
    return Failure(entry.failure);
  }

  const std::chrono::seconds usable_;
  ExpiringMap<std::string, Entry, SteadyTime> kept_;
};

using oidc::DiscoveryDocument;
using oidc::KeySet;

constexpr std::uint64_t kMaxTokenAnswer = 256 << 10;
// What an exchange was good for is still told that long after its time is over.
constexpr std::chrono::milliseconds kIssuerGrace{500};
constexpr std::size_t kIssuerThreads = 16;
constexpr std::size_t kThreadsEach = 4;  // of a namespace; of a host that administrators named

http::ClientOptions ClientOptionsFor(const UpstreamOptions& options) {
  http::ClientOptions client;
  client.user_agent = options.user_agent;
  client.ca_file = options.ca_file;
  client.trust_hint = "to trust it, set upstream.ca_file to its root certificate";
  client.connect_timeout = options.timeout;
  client.stall_timeout = options.timeout;
  return client;
}

http::ClientOptions OwnersClientOptions(const UpstreamOptions& options,
                                        const AddressPolicy& policy) {
  http::ClientOptions client = ClientOptionsFor(options);
  client.check_address = [policy](const std::string& address) { return policy.Check(address); };
  return client;
}

Error IssuerTooLate(const std::string& who) {
  return {ErrorKind::kUpstreamTimeout,
          fmt::format("{} did not respond in time; try again", who),
          {},
          0,
          "upstream.timeout"};
}

// Who names what: one's document must not be answered to the other.
std::string KeptUnder(const IssuerTrust& trust, const std::string& issuer) {
  return (trust.is_administrators() ? "administrator " : "owner ") + issuer;
}

// A flight waits for a place of its namespace: another's must not wait with it.
std::string FlightOf(const IssuerTrust& trust, const std::string& issuer) {
  return trust.ns() + " " + issuer;
}

// The issuer's document is unusable: the issuer must fix it, not the caller.
Error AsBadIssuer(const std::string& issuer, Error error) {
  error.kind = ErrorKind::kBadUpstream;
  error.message =
      fmt::format("the issuer \"{}\" cannot be used: {}", Printable(issuer), error.message);
  return error;
}

// What a token endpoint answered that is not 200 (RFC 6749 §5.2).
Failure RefusedForm(const std::string& url, const http::ClientResponse& response) {
  std::string said;
  auto answer = wire::Decode<wire::TokenEndpointAnswer>(response.body);
  if (answer && !answer->error.empty()) {
    said = ": " + Printable(answer->error, 80);
    if (!answer->error_description.empty()) {
      said += " (" + Printable(answer->error_description, 200) + ")";
    }
  }
  const std::string place = url.substr(0, url.find('?'));
  if (answer && answer->error == "invalid_grant") {
    return FailUnauthenticated("{} rejected the code{}: sign in again", place, said);
  }
  return FailBadUpstream(
      "{} responded with {}{}: check the client's ID and secret, and its redirect URL there", place,
      response.status, said);
}

}  // namespace

// What one kind of issuers is asked with. Nothing of it is shared with the other kind: however slow
// the issuers are that owners named, people sign in.
struct IssuerPool {
  IssuerPool(const UpstreamOptions& options, http::ClientOptions client)
      : clients(std::move(client)),
        breaker({.failures = options.breaker_failures, .open = options.breaker_open}) {}

  http::ClientPool clients;
  CircuitBreaker breaker;
  SingleFlight<std::shared_ptr<const DiscoveryDocument>> document_flights{pool};
  SingleFlight<std::shared_ptr<const KeySet>> key_flights{pool};
  SingleFlight<std::string> post_flights{pool};
  FairPool pool{kIssuerThreads, kThreadsEach};  // last: it ends before what its work uses
};

struct HttpIssuerClient::Impl {
  Impl(const UpstreamOptions& options, const AddressPolicy& policy, ExchangeClock& given_clock)
      : timeout(options.timeout),
        clock(given_clock),
        administrators(options, ClientOptionsFor(options)),
        owners(options, OwnersClientOptions(options, policy)) {}

  struct Question {
    std::string url;
    std::string what;  // for messages
    IssuerTrust trust;
    std::string form = {};
    std::string authorization = {};
    std::uint64_t max_bytes = 0;
    LimitName max_bytes_name{};
  };

  Task<http::ClientResponse> Ask(Question question);
  Result<http::ClientResponse> AskHere(const http::Url& url, const Question& question);
  Task<std::string> FetchText(Question question);
  Task<std::shared_ptr<const DiscoveryDocument>> FetchDocument(std::string issuer,
                                                               IssuerTrust trust);
  Task<std::shared_ptr<const KeySet>> FetchKeys(std::string issuer, IssuerTrust trust);
  Task<DiscoveryDocument> ReadDocument(std::string issuer, IssuerTrust trust);
  Task<KeySet> ReadKeys(std::string issuer, IssuerTrust trust);
  Task<std::shared_ptr<const DiscoveryDocument>> Discover(std::string issuer, IssuerTrust trust);
  Task<std::string> Post(Question question);

  // For who waits: by the system's clock, as threads and conditions count.
  std::chrono::steady_clock::time_point Deadline() const {
    return std::chrono::steady_clock::now() + timeout;
  }

  IssuerPool& PoolOf(const IssuerTrust& trust) {
    return trust.is_administrators() ? administrators : owners;
  }

  const std::chrono::milliseconds timeout;
  ExchangeClock& clock;
  IssuerDocuments<DiscoveryDocument> documents{kMostKept, kUsable};
  IssuerDocuments<KeySet> keys{kMostKept, kUsable};
  std::atomic<std::uint64_t> posts = 0;
  IssuerPool administrators;  // last, both: their work uses the above
  IssuerPool owners;
};

Result<http::ClientResponse> HttpIssuerClient::Impl::AskHere(const http::Url& url,
                                                             const Question& question) {
  IssuerPool& lane = PoolOf(question.trust);
  // oidc/ has seen to it that http is for this machine alone.
  const RequestGuards guards{lane.clients, lane.breaker, clock,
                             url.scheme == "http" && http::IsLoopbackHost(url.host)};
  const SteadyTime deadline = clock.Now() + timeout;
  RequestPlan plan{.url = url,
                   .what = question.what,
                   .fields = {{"Accept", "application/json"}},
                   .max_bytes = question.max_bytes,
                   .max_bytes_name = question.max_bytes_name,
                   .patience = {.deadline = deadline, .stop = lane.pool.stopping()},
                   .time_name = "upstream.timeout",
                   .retry_until = deadline,
                   .form = question.form,
                   .follows_redirects = false};
  if (!question.form.empty()) {
    plan.fields.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  }
  if (!question.authorization.empty()) {
    plan.fields.emplace_back("Authorization", question.authorization);
  }
  auto answer = GuardedRequest(guards, std::move(plan)).Run();
  if (answer) return std::move(answer->response);
  Error error = std::move(answer).error();
  if (error.kind == ErrorKind::kTooLarge) error.kind = ErrorKind::kBadUpstream;
  return Failure(std::move(error));
}

// For coroutines on the lane's pool.
Task<http::ClientResponse> HttpIssuerClient::Impl::Ask(Question question) {
  Result<http::Url> url = http::ParseUrl(question.url);
  if (!url) co_return Failure(AsBadIssuer(question.url, std::move(url).error()));
  const bool by_host = question.trust.is_administrators();
  std::string who = by_host ? url->Authority() : question.trust.ns();
  ASSIGN_OR_CO_RETURN(const FairPool::Slot place,
                      co_await PoolOf(question.trust).pool.Enter(std::move(who), Deadline()));
  co_return AskHere(*url, question);
}

Task<std::string> HttpIssuerClient::Impl::FetchText(Question question) {
  const std::string said =
      fmt::format("{}: {} answered", question.what, question.url.substr(0, question.url.find('?')));
  ASSIGN_OR_CO_RETURN(http::ClientResponse response, co_await Ask(std::move(question)));
  if (response.status != 200) {
    co_return FailBadUpstream("{} {}", said, response.status);
  }
  co_return std::move(response.body);
}

Task<DiscoveryDocument> HttpIssuerClient::Impl::ReadDocument(std::string issuer,
                                                             IssuerTrust trust) {
  Question question{.url = oidc::DiscoveryUrl(issuer),
                    .what = "the OpenID configuration",
                    .trust = trust,
                    .max_bytes = oidc::kMaxDiscoveryBytes,
                    .max_bytes_name = "fixed.openid_configuration_bytes"};
  ASSIGN_OR_CO_RETURN(std::string text, co_await FetchText(std::move(question)));
  auto document = oidc::ParseDiscoveryDocument(issuer, text);
  if (!document) co_return Failure(AsBadIssuer(issuer, std::move(document).error()));
  co_return document;
}

Task<KeySet> HttpIssuerClient::Impl::ReadKeys(std::string issuer, IssuerTrust trust) {
  auto document = co_await Discover(issuer, trust);
  if (!document) co_return Failure(std::move(document).error());
  Question question{.url = (*document)->jwks_uri,
                    .what = fmt::format("the keys of the issuer \"{}\"", issuer),
                    .trust = trust,
                    .max_bytes = KeySet::kMaxBytes,
                    .max_bytes_name = "fixed.jwks_bytes"};
  ASSIGN_OR_CO_RETURN(std::string text, co_await FetchText(std::move(question)));
  auto set = KeySet::Parse(text);
  if (!set) co_return Failure(AsBadIssuer(issuer, std::move(set).error()));
  co_return set;
}

Task<std::shared_ptr<const DiscoveryDocument>> HttpIssuerClient::Impl::FetchDocument(
    std::string issuer, IssuerTrust trust) {
  const std::string key = KeptUnder(trust, issuer);
  // A faster request may have stored it just now.
  if (auto kept = documents.FindFresh(key, clock.Now())) co_return *std::move(kept);
  Result<DiscoveryDocument> read = co_await ReadDocument(issuer, trust);
  const SteadyTime now = clock.Now();
  if (!read) co_return documents.Fail(key, std::move(read).error(), now, now + kNothing);
  auto document = std::make_shared<const DiscoveryDocument>(*std::move(read));
  documents.Put(key, document, now, now + kFresh);
  co_return document;
}

Task<std::shared_ptr<const KeySet>> HttpIssuerClient::Impl::FetchKeys(std::string issuer,
                                                                      IssuerTrust trust) {
  const std::string key = KeptUnder(trust, issuer);
  Result<KeySet> read = co_await ReadKeys(issuer, trust);
  const SteadyTime now = clock.Now();
  if (!read) co_return keys.Fail(key, std::move(read).error(), now, now + kNothing);
  auto set = std::make_shared<const KeySet>(*std::move(read));
  keys.Put(key, set, now, now + kFresh);
  co_return set;
}

Task<std::shared_ptr<const DiscoveryDocument>> HttpIssuerClient::Impl::Discover(std::string issuer,
                                                                                IssuerTrust trust) {
  CO_RETURN_IF_ERROR(oidc::CheckIssuer(issuer));
  if (auto kept = documents.FindFresh(KeptUnder(trust, issuer), clock.Now()))
    co_return *std::move(kept);
  std::string flight = FlightOf(trust, issuer);
  Error late = IssuerTooLate(issuer);
  Task<std::shared_ptr<const DiscoveryDocument>> fetch = FetchDocument(std::move(issuer), trust);
  co_return co_await PoolOf(trust).document_flights.Do(std::move(flight), std::move(fetch),
                                                       Deadline() + kIssuerGrace, std::move(late));
}

Task<std::string> HttpIssuerClient::Impl::Post(Question question) {
  const std::string url = question.url;
  ASSIGN_OR_CO_RETURN(http::ClientResponse response, co_await Ask(std::move(question)));
  if (response.status != 200) co_return RefusedForm(url, response);
  co_return std::move(response.body);
}

HttpIssuerClient::HttpIssuerClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpIssuerClient::~HttpIssuerClient() { Stop(); }
void HttpIssuerClient::Stop() {
  impl_->administrators.pool.Stop();
  impl_->owners.pool.Stop();
}

Result<std::unique_ptr<HttpIssuerClient>> HttpIssuerClient::Create(const UpstreamOptions& options,
                                                                   ExchangeClock& clock) {
  ASSIGN_OR_RETURN(AddressPolicy policy, AddressPolicy::Parse(options.allow_private_addresses));
  auto impl = std::make_unique<Impl>(options, policy, clock);
  return std::unique_ptr<HttpIssuerClient>(new HttpIssuerClient(std::move(impl)));
}

Task<std::shared_ptr<const DiscoveryDocument>> HttpIssuerClient::Discover(std::string issuer,
                                                                          IssuerTrust trust) {
  co_return co_await impl_->Discover(std::move(issuer), trust);
}

Task<std::shared_ptr<const KeySet>> HttpIssuerClient::Keys(std::string issuer, IssuerTrust trust,
                                                           bool refresh) {
  CO_RETURN_IF_ERROR(oidc::CheckIssuer(issuer));
  const std::string key = KeptUnder(trust, issuer);
  const SteadyTime now = impl_->clock.Now();
  auto kept =
      refresh ? impl_->keys.FindSince(key, now, now - kAnew) : impl_->keys.FindFresh(key, now);
  if (kept) co_return *std::move(kept);
  std::string flight = FlightOf(trust, issuer);
  Error late = IssuerTooLate(issuer);
  // Two exchanges: what the issuer says of itself may have to be asked for first.
  const auto deadline = impl_->Deadline() + impl_->timeout + kIssuerGrace;
  Task<std::shared_ptr<const KeySet>> fetch = impl_->FetchKeys(std::move(issuer), trust);
  co_return co_await impl_->PoolOf(trust).key_flights.Do(std::move(flight), std::move(fetch),
                                                         deadline, std::move(late));
}

Task<std::string> HttpIssuerClient::PostForm(std::string url, IssuerTrust trust, std::string form,
                                             std::string authorization) {
  Error late = IssuerTooLate(url.substr(0, url.find('?')));
  Impl::Question question{.url = std::move(url),
                          .what = "the token endpoint's response",
                          .trust = std::move(trust),
                          .form = std::move(form),
                          .authorization = std::move(authorization),
                          .max_bytes = kMaxTokenAnswer,
                          .max_bytes_name = "fixed.token_answer_bytes"};
  // Requests never share a code: each flight has a name of its own.
  std::string key = fmt::format("{}", ++impl_->posts);
  IssuerPool& lane = impl_->PoolOf(question.trust);
  Task<std::string> post = impl_->Post(std::move(question));
  const auto deadline = impl_->Deadline() + kIssuerGrace;
  co_return co_await lane.post_flights.Do(std::move(key), std::move(post), deadline,
                                          std::move(late));
}

void HttpIssuerClient::DropDocuments(const std::string& issuer) {
  // What owners named is kept for all namespaces together.
  for (const IssuerTrust& trust : {IssuerTrust::Administrators(), IssuerTrust::OwnersOf("any")}) {
    impl_->documents.Erase(KeptUnder(trust, issuer));
    impl_->keys.Erase(KeptUnder(trust, issuer));
  }
}

}  // namespace koya::upstream
