#include "service/sign_in/issuer_claims.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "domain/identity_record.h"
#include "domain/name_rules.h"
#include "oidc/claims.h"
#include "oidc/jwt.h"

namespace koya::service {

Task<oidc::Claims> VerifyIssuerToken(upstream::IssuerClient& issuers, upstream::IssuerTrust trust,
                                     std::string token, oidc::Expectations expected) {
  CO_RETURN_IF_ERROR(oidc::CheckUnverified(token, expected));
  auto keys = co_await issuers.Keys(expected.issuer, trust, false);
  if (!keys) co_return Failure(std::move(keys).error());
  oidc::JwtOutcome outcome = oidc::VerifyJwt(token, **keys, expected);
  if (outcome.verdict != oidc::JwtVerdict::kUnknownKey) co_return std::move(outcome.claims);
  auto renewed = co_await issuers.Keys(expected.issuer, trust, true);
  if (!renewed) co_return Failure(std::move(renewed).error());
  oidc::JwtOutcome again = oidc::VerifyJwt(token, **renewed, expected);
  co_return std::move(again.claims);
}

namespace {

constexpr std::size_t kMostOwnName = 58;  // leaves room for "-2", when it is taken

bool IsLetterOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// nullopt: nothing is left of it.
std::optional<std::string> AsAccountName(std::string_view wanted) {
  std::string name;
  for (const char c : wanted) {
    const bool allowed = IsLetterOrDigit(c) || c == '.' || c == '_' || c == '@';
    // One dash for a run of them: a character may have several bytes.
    if (!allowed && name.ends_with('-')) continue;
    name += allowed ? c : '-';
    if (name.size() == kMostOwnName) break;
  }
  if (std::ranges::none_of(name, IsLetterOrDigit)) return std::nullopt;
  if (!CheckAccountName(AccountKind::kUser, name)) return std::nullopt;
  return name;
}

// An address that the provider has not verified may belong to another person. A provider without
// "email_verified" vouches for all of its addresses. Some providers send the claim as text.
bool IsEmailTheirs(const oidc::Claims& claims) {
  if (!claims.Has("email_verified")) return true;
  return claims.Flag("email_verified").value_or(false) ||
         EqualsIgnoreCase(claims.Text("email_verified").value_or(""), "true");
}

}  // namespace

std::string AccountNameOf(const oidc::Claims& claims) {
  const std::string_view email = IsEmailTheirs(claims) ? claims.Text("email").value_or("") : "";
  const std::string_view wanted[] = {claims.Text("preferred_username").value_or(""), email,
                                     claims.subject()};
  for (const std::string_view each : wanted) {
    if (auto name = AsAccountName(each)) return *name;
  }
  return "user";
}

std::string EmailOf(const oidc::Claims& claims) {
  constexpr std::size_t kLongestEmail = 254;  // bytes (RFC 5321 §4.5.3.1.3, without its brackets)
  if (!IsEmailTheirs(claims)) return {};
  std::string email(claims.Text("email").value_or(""));
  const std::size_t at = email.rfind('@');
  const bool is_address = at != std::string::npos && at > 0 && at + 1 < email.size();
  const bool has_blanks = std::ranges::any_of(email, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f;
  });
  if (!is_address || has_blanks || email.size() > kLongestEmail || !IsUtf8(email)) return {};
  return email;
}

std::vector<std::string> GroupsOf(const IdentityProviderRecord& provider,
                                  const oidc::Claims& claims) {
  if (provider.groups_claim.empty()) return {};
  std::vector<std::string> theirs =
      claims.Texts(provider.groups_claim).value_or(std::vector<std::string>());
  if (theirs.size() > kMostClaimedGroups) theirs.resize(kMostClaimedGroups);
  std::set<std::string> ours;
  if (provider.groups.empty()) {
    for (const std::string& each : theirs) {
      if (CheckGroupName(each)) ours.insert(each);
    }
  }
  const std::set<std::string> claimed(theirs.begin(), theirs.end());
  for (const GroupMapping& mapping : provider.groups) {
    if (claimed.contains(mapping.theirs)) ours.insert(mapping.ours);
  }
  return {ours.begin(), ours.end()};
}

}  // namespace koya::service
