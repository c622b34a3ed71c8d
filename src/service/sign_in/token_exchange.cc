#include "service/sign_in/token_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "auth/token.h"
#include "base/text.h"
#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/token_catalog.h"
#include "domain/identity_record.h"
#include "domain/name_rules.h"
#include "oidc/claim_rules.h"
#include "oidc/jwt.h"
#include "service/access/tokens.h"
#include "service/sign_in/issuer_claims.h"
#include "wire/identity.h"

namespace koya::service {
namespace {

// The network that an address of IPv6 is in: its first four groups, or those before "::".
std::string_view NetworkOf(std::string_view address) {
  if (!address.contains(':') || address.contains('.')) return address;
  std::size_t end = 0;
  for (int group = 0; group < 4 && end != std::string_view::npos; ++group) {
    end = address.find(':', group == 0 ? 0 : end + 1);
    if (end != std::string_view::npos && address.substr(end).starts_with("::")) break;
  }
  return address.substr(0, std::min(end, address.size()));
}

}  // namespace

Status TokenExchangeRateLimiter::Enter(std::string_view address) {
  const UnixSeconds now = clock_.Now();
  std::lock_guard lock(mutex_);
  // A clock that was set back starts a new window, too.
  if (now < begun_at_ || now >= begun_at_ + kWindow) {
    begun_at_ = now;
    counts_.clear();
  }
  std::string network(NetworkOf(address));
  if (!counts_.contains(network) && counts_.size() >= kMostAddresses) network.clear();
  if (++counts_[network] <= kMost) return {};
  Error error{ErrorKind::kThrottled,
              fmt::format("{} tokens were sent for exchange from this address within a minute, the "
                          "limit: wait, and use one token for a whole job",
                          kMost),
              {}};
  error.retry_after = static_cast<unsigned>(begun_at_ + kWindow - now);
  return Failure(std::move(error));
}

namespace {

constexpr std::size_t kMostClaimText = 512;  // bytes, of one claim that is kept
constexpr std::size_t kMostMaker = 200;      // bytes, of TokenRecord::created_by

// In the order of what they are worth: the last ones go first when there is no room.
constexpr std::array<std::string_view, 27> kKeptClaims{"iss",
                                                       "sub",
                                                       "repository",
                                                       "project_path",
                                                       "ref",
                                                       "ref_type",
                                                       "sha",
                                                       "environment",
                                                       "workflow",
                                                       "workflow_ref",
                                                       "run_id",
                                                       "run_attempt",
                                                       "run_number",
                                                       "pipeline_id",
                                                       "pipeline_source",
                                                       "job_id",
                                                       "event_name",
                                                       "actor",
                                                       "user_login",
                                                       "repository_id",
                                                       "repository_owner",
                                                       "project_id",
                                                       "namespace_path",
                                                       "job_workflow_ref",
                                                       "ci_config_ref_uri",
                                                       "runner_environment",
                                                       "jti"};

// The same error for all clients that may not know more.
Error NotTrusted(std::string_view ns, std::string detail) {
  return {
      ErrorKind::kForbidden,
      fmt::format("that token cannot publish in the namespace \"{}\": its owners define the "
                  "trusted jobs (koya trust list {}), and the server's log says what did not match",
                  Printable(ns, 80), Printable(ns, 80)),
      std::move(detail)};
}

std::string ClaimText(const oidc::Claims& claims, std::string_view name) {
  if (const auto text = claims.Text(name)) return Printable(*text, kMostClaimText);
  if (const auto number = claims.Number(name)) return fmt::format("{}", *number);
  return {};
}

// "oidc:HOST SUBJECT", for lists of tokens.
std::string MakerOf(const oidc::Claims& claims) {
  std::string_view host = claims.issuer();
  host.remove_prefix(std::min(host.find("://") + 3, host.size()));
  return Printable(fmt::format("oidc:{} {}", host.substr(0, host.find('/')), claims.subject()),
                   kMostMaker);
}

// The id of the one that trusts the job; else the last one's reason. REQUIRES: there is one.
Result<std::string> JudgeByAny(const std::vector<TrustRecord>& trusted,
                               const oidc::Claims& claims) {
  Status judged;
  for (const TrustRecord& each : trusted) {
    auto rules = oidc::ClaimRules::ParseKept(each.issuer, each.rules);
    judged = rules ? rules->CheckClaims(claims) : Status(Failure(rules.error()));
    if (judged) return each.id;
  }
  return Failure(std::move(judged).error());
}

// Identifies a job's token: by its issuer's name for it ("jti"), else by the whole token. A token
// without a "jti" that was signed again is another token.
Digest DigestOf(const oidc::Claims& claims, std::string_view token) {
  const std::optional<std::string_view> id = claims.Text("jti");
  return Digest::Of(id ? fmt::format("{}\n{}", claims.issuer(), *id) : std::string(token));
}

}  // namespace

struct TokenExchange::TrustedJob {
  std::string trust_id;
  oidc::Claims claims;
  JobProof proof;
};

std::string ProvenanceOf(const oidc::Claims& claims) {
  wire::Provenance kept;
  std::string text = wire::EncodeProvenance(kept);
  for (const std::string_view name : kKeptClaims) {
    std::string value = ClaimText(claims, name);
    if (value.empty()) continue;
    kept.emplace(name, std::move(value));
    std::string longer = wire::EncodeProvenance(kept);
    if (longer.size() > kMostProvenance) break;
    text = std::move(longer);
  }
  return text;
}

Task<std::vector<TrustRecord>> TokenExchange::TrustOf(std::string ns, std::string issuer) {
  auto name = ParseNamespaceName(ns);
  if (!name) co_return Failure(NotTrusted(ns, "a namespace cannot have this name"));
  ASSIGN_OR_CO_RETURN(std::vector<TrustRecord> trusted,
                      co_await trust_.ListTrust(*std::move(name)));
  std::erase_if(trusted, [&issuer](const TrustRecord& each) { return each.issuer != issuer; });
  if (trusted.empty()) {
    co_return Failure(
        NotTrusted(ns, fmt::format("no trust names the issuer {}", Printable(issuer))));
  }
  co_return trusted;
}

Task<TokenExchange::TrustedJob> TokenExchange::Verify(Request request,
                                                      std::vector<TrustRecord> trusted) {
  oidc::Expectations expected{.issuer = trusted.front().issuer,
                              .audience = std::move(request.audience),
                              .now = clock_.Now()};
  const UnixSeconds skew = expected.skew.count();
  ASSIGN_OR_CO_RETURN(
      oidc::Claims claims,
      co_await VerifyIssuerToken(issuers_, upstream::IssuerTrust::OwnersOf(trusted.front().ns),
                                 request.token, std::move(expected)));
  ASSIGN_OR_CO_RETURN(std::string trust_id, JudgeByAny(trusted, claims));
  const JobProof proof{.digest = DigestOf(claims, request.token),
                       .expires_at = claims.expires_at() + skew};
  co_return TrustedJob{std::move(trust_id), std::move(claims), proof};
}

Awaitable<Error> TokenExchange::Told(std::string ns, Error why) {
  Result<NamespaceRecord> record = co_await namespaces_.FindNamespace(ns);
  if (record && record->visibility == Visibility::kPublic) co_return why;
  if (!record && record.error().kind != ErrorKind::kNotFound) co_return std::move(record).error();
  // Even the error that an issuer does not answer would reveal that the namespace exists, and which
  // issuer it trusts.
  co_return NotTrusted(ns, std::move(why.message));
}

Task<CreatedToken> TokenExchange::Mint(Actor from, std::string ns, TrustedJob job) {
  from.name = MakerOf(job.claims);
  const UnixSeconds now = clock_.Now();
  auth::MintedToken minted = auth::MintToken();
  TokenRecord record{.name = "ci-" + auth::RandomId(),
                     .secret = minted.secret,
                     .scope = Scope::kPublish,
                     .namespaces = {std::move(ns)},
                     .created_at = now,
                     .created_by = from.name,
                     .expires_at = now + std::chrono::seconds(kJobTokenLife).count(),
                     .last_used_at = std::nullopt,
                     .provenance = ProvenanceOf(job.claims),
                     .trust_id = std::move(job.trust_id)};
  Status added = co_await tokens_.AddJobToken(std::move(from), record, job.proof);
  if (!added && added.error().kind == ErrorKind::kNotFound) {
    // It was removed while the job was looked at.
    co_return Failure(NotTrusted(record.namespaces.front(), std::move(added).error().message));
  }
  CO_RETURN_IF_ERROR(std::move(added));
  co_return CreatedToken{std::move(record), std::move(minted.text)};
}

Task<CreatedToken> TokenExchange::Exchange(Request request) {
  CO_RETURN_IF_ERROR(bound_.Enter(request.from.address));
  ASSIGN_OR_CO_RETURN(std::string issuer, oidc::UnverifiedIssuer(request.token));
  ASSIGN_OR_CO_RETURN(std::vector<TrustRecord> trusted,
                      co_await TrustOf(request.ns, std::move(issuer)));
  std::string ns = trusted.front().ns;
  Actor from = request.from;
  Result<TrustedJob> job = co_await Verify(std::move(request), std::move(trusted));
  if (!job) {
    Error told = co_await Told(std::move(ns), std::move(job).error());
    co_return Failure(std::move(told));
  }
  co_return co_await Mint(std::move(from), std::move(ns), *std::move(job));
}

}  // namespace koya::service
