#include "upstream/fetcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/decimal.h"
#include "base/encoding.h"
#include "base/text.h"
#include "http/client/retry_after.h"
#include "upstream/address_policy.h"
#include "upstream/guarded_request.h"

namespace koya::upstream {
namespace {

constexpr unsigned kRetryAfterUnsaid = 10;  // seconds, for a 429 that does not say

http::ClientOptions ClientOptionsOf(const UpstreamOptions& options, const AddressPolicy& policy) {
  http::ClientOptions client;
  client.user_agent = options.user_agent;
  client.ca_file = options.ca_file;
  client.trust_hint = "to trust it, set upstream.ca_file to its root certificate";
  client.connect_timeout = options.timeout;
  client.stall_timeout = options.timeout;
  client.check_address = [policy](const std::string& address) { return policy.Check(address); };
  return client;
}

// What may be sent back in a field: upstream chose it.
std::string FieldText(std::optional<std::string_view> value) {
  constexpr std::size_t kMax = 1024;
  if (!value || value->size() > kMax) return {};
  bool plain = std::ranges::all_of(*value, [](char c) { return c >= ' ' && c < 0x7F; });
  return plain ? std::string(*value) : std::string();
}

Error RateLimited(const GuardedAnswer& end, const std::string& what, UnixSeconds now) {
  auto said = end.response.Get("Retry-After");
  auto wait = said ? http::ParseRetryAfter(*said, now) : std::nullopt;
  Error error{ErrorKind::kUnavailable,
              fmt::format("{}: {} answered 429: it wants fewer requests; try again later", what,
                          PlaceOf(end.url)),
              {}};
  error.retry_after =
      wait ? static_cast<unsigned>(std::max<std::int64_t>(wait->count(), 1)) : kRetryAfterUnsaid;
  return error;
}

std::string TokenAdvice(const GuardedAnswer& end) {
  return end.token_sent
             ? fmt::format("it rejects the token that is stored for {}", end.url.Authority())
             : fmt::format("it requires a token; configure one for {}", end.url.Authority());
}

// Nothing for 200, the one status with a document inside.
std::optional<Error> JudgeStatus(const GuardedAnswer& end, const std::string& what, UnixSeconds now,
                                 const std::string& closed_advice = {}) {
  unsigned status = end.response.status;
  if (status == 200) return std::nullopt;
  std::string said = fmt::format("{}: {} answered {}", what, PlaceOf(end.url), status);
  if (status == 404 || status == 410) return Error{ErrorKind::kNotFound, std::move(said), {}};
  if (status == 429) return RateLimited(end, what, now);
  if (status == 401 || status == 403) {
    const std::string advice = closed_advice.empty() ? TokenAdvice(end) : closed_advice;
    return Error{ErrorKind::kBadUpstream, said + ": " + advice, {}, 0, {}, status};
  }
  return Error{ErrorKind::kBadUpstream, std::move(said), {}};
}

std::optional<std::uint64_t> ContentLength(const http::ClientResponse& head) {
  return ParseDecimal<std::uint64_t>(head.Get("Content-Length").value_or(""));
}

// What an archive's transfer has seen of it.
struct ArchiveProgress {
  std::optional<std::uint64_t> announced;
  std::uint64_t received = 0;
};

Failure BadArchive(const std::string& place, const std::string& words) {
  return FailBadUpstream("{} {}", place, words);
}

Status BeginArchive(const http::ClientResponse& head, const ArchiveTransfer& transfer,
                    const std::string& place, ArchiveProgress& progress) {
  if (head.status != 200) return BadArchive(place, fmt::format("answered {}", head.status));
  auto coding = head.Get("Content-Encoding");
  if (coding && !coding->empty() && !EqualsIgnoreCase(*coding, "identity")) {
    return BadArchive(place, fmt::format("came compressed again (Content-Encoding: {}), which was "
                                         "not requested: its bytes are not the author's",
                                         Printable(*coding, 40)));
  }
  progress.announced = ContentLength(head);
  if (progress.announced && *progress.announced > transfer.max_bytes) {
    return FailLimit(ErrorKind::kTooLarge, transfer.max_bytes_name,
                     fmt::format("{} has {} bytes; the limit is {}", place, *progress.announced,
                                 transfer.max_bytes));
  }
  return transfer.on_start ? transfer.on_start(progress.announced) : Status();
}

}  // namespace

struct Fetcher::Impl {
  Impl(UpstreamOptions given, const AddressPolicy& policy, ExchangeClock& given_clock)
      : options(std::move(given)),
        addresses(policy),
        clock(given_clock),
        clients(ClientOptionsOf(options, policy)),
        breaker({.failures = options.breaker_failures, .open = options.breaker_open}),
        missing(options.negative_ttl) {}

  const UpstreamOptions options;
  const AddressPolicy addresses;
  ExchangeClock& clock;
  http::ClientPool clients;
  CircuitBreaker breaker;
  NegativeCache missing;
  const RequestGuards tools{clients, breaker, clock, options.allow_http};
};

Fetcher::Fetcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Fetcher::~Fetcher() = default;

Result<std::unique_ptr<Fetcher>> Fetcher::Create(UpstreamOptions options, ExchangeClock& clock) {
  ASSIGN_OR_RETURN(AddressPolicy policy, AddressPolicy::Parse(options.allow_private_addresses));
  auto impl = std::make_unique<Impl>(std::move(options), policy, clock);
  return std::unique_ptr<Fetcher>(new Fetcher(std::move(impl)));
}

Deadline Fetcher::ForDocuments(Deadline caller) const {
  caller.deadline = std::min(caller.deadline, impl_->clock.Now() + impl_->options.timeout);
  return caller;
}

Result<Document> Fetcher::Get(const DocumentRequest& request) {
  std::string key = request.url.ToString();
  if (auto known = impl_->missing.FindFailure(key, impl_->clock.Now()))
    return Failure(*std::move(known));
  RequestPlan plan{.url = request.url,
                   .what = request.what,
                   .token = request.token,
                   .fields = request.fields,
                   .max_bytes = request.max_bytes,
                   .max_bytes_name = "fixed.upstream_document_bytes",
                   .patience = request.patience,
                   .time_name = "upstream.timeout",
                   .retry_until = request.patience.deadline,
                   .same_host = request.same_host};
  const auto& [etag, modified] = request.held;
  if (!etag.empty()) plan.fields.emplace_back("If-None-Match", etag);
  if (!modified.empty()) plan.fields.emplace_back("If-Modified-Since", modified);
  Result<GuardedAnswer> end = GuardedRequest(impl_->tools, std::move(plan)).Run();
  // A document that is too large is a bad one; who asked is not to blame.
  if (!end && end.error().kind == ErrorKind::kTooLarge) end.error().kind = ErrorKind::kBadUpstream;
  if (!end) return Failure(std::move(end).error());
  bool asked_whether = !etag.empty() || !modified.empty();
  bool unchanged = asked_whether && end->response.status == 304;
  bool no_content = request.or_no_content && end->response.status == 204;
  auto error = JudgeStatus(*end, request.what, impl_->clock.WallNow(), request.closed_advice);
  if (error && !unchanged && !no_content) {
    if (error->kind == ErrorKind::kNotFound) {
      impl_->missing.Remember(key, *error, impl_->clock.Now());
    }
    return Failure(*std::move(error));
  }
  const http::ClientResponse& response = end->response;
  return Document{end->url,
                  unchanged,
                  unchanged ? std::string() : response.body,
                  std::string(response.Get("Content-Type").value_or("")),
                  {FieldText(response.Get("ETag")), FieldText(response.Get("Last-Modified"))},
                  no_content,
                  response.address,
                  std::string(response.Get("X-Terraform-Get").value_or(""))};
}

Status Fetcher::FetchArchive(const ArchiveTransfer& transfer) {
  Result<http::Url> url = http::ParseUrl(transfer.url);
  if (!url) return Fail(ErrorKind::kBadUpstream, std::move(url).error().message);
  ArchiveProgress progress;
  const std::string place = fmt::format("{} at {}", transfer.what, PlaceOf(*url));
  RequestPlan plan{.url = *url,
                   .what = transfer.what,
                   .max_bytes = transfer.max_bytes,
                   .max_bytes_name = transfer.max_bytes_name,
                   .patience = transfer.patience,
                   .time_name = transfer.time_name,
                   .retry_until = ForDocuments(transfer.patience).deadline,
                   .min_rate = impl_->options.min_rate};
  const auto& logins = impl_->options.archive_logins;
  if (const auto login = logins.find(url->Authority()); login != logins.end()) {
    plan.token = Base64Encode(std::as_bytes(std::span(login->second)));
    plan.is_login = true;
  }
  plan.patience.deadline =
      std::min(plan.patience.deadline, impl_->clock.Now() + impl_->options.archive_timeout);
  plan.on_head = [&](const http::ClientResponse& head) {
    return BeginArchive(head, transfer, place, progress);
  };
  plan.sink = [&](std::span<const std::byte> bytes) -> Status {
    progress.received += bytes.size();
    if (progress.announced && progress.received > *progress.announced) {
      return BadArchive(place, fmt::format("is longer than the {} bytes that were announced",
                                           *progress.announced));
    }
    return transfer.sink(bytes);
  };
  ASSIGN_OR_RETURN(GuardedAnswer end, GuardedRequest(impl_->tools, std::move(plan)).Run());
  if (auto error = JudgeStatus(end, transfer.what, impl_->clock.WallNow())) return Failure(*error);
  if (progress.announced && progress.received != *progress.announced) {
    return BadArchive(place, fmt::format("ended after {} of the {} bytes that were announced",
                                         progress.received, *progress.announced));
  }
  return {};
}

Status Fetcher::CheckUrl(const std::string& what, const http::Url& url) const {
  return CheckUpstreamUrl(what, url, impl_->options.allow_http);
}

Failure BadDocument(const std::string& what, const http::Url& url, std::string_view words,
                    LimitName limit) {
  return FailLimit(ErrorKind::kBadUpstream, limit,
                   fmt::format("{} at {}: {}", what, PlaceOf(url), words));
}

const AddressPolicy& Fetcher::addresses() const { return impl_->addresses; }
const UpstreamOptions& Fetcher::options() const { return impl_->options; }
ExchangeClock& Fetcher::clock() const { return impl_->clock; }

std::string AuthorityOf(std::string_view url) {
  Result<http::Url> parsed = http::ParseUrl(url);
  return parsed ? parsed->Authority() : std::string();
}

}  // namespace koya::upstream
