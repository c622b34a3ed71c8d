// Parses the claims of a token (RFC 7519 §4, OpenID Connect Core §2): those that every token has as
// members, and all of them by name. A plain value: its existence does not mean that it was
// verified; jwt.h does that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "wire/foreign/openid.h"

namespace koya::oidc {

class Claims {
 public:
  static constexpr std::size_t kMaxSubject = 1024;  // bytes: in CI it contains a branch's name

  // `json`: the token's payload. Fails: kInvalid unless "iss", "sub", "aud" and "exp" are present
  // and all of the claims below are well-formed.
  static Result<Claims> Parse(std::string_view json);

  const std::string& issuer() const { return issuer_; }
  const std::string& subject() const { return subject_; }                 // no control characters
  const std::vector<std::string>& audience() const { return audience_; }  // at least one
  UnixSeconds expires_at() const { return expires_at_; }
  std::optional<UnixSeconds> not_before() const { return not_before_; }
  std::optional<UnixSeconds> issued_at() const { return issued_at_; }
  std::optional<UnixSeconds> authenticated_at() const { return authenticated_at_; }  // auth_time
  const std::optional<std::string>& authorized_party() const { return authorized_party_; }  // azp
  const std::optional<std::string>& nonce() const { return nonce_; }

  // The claim, if it exists and is of that type.
  std::optional<std::string_view> Text(std::string_view name) const;  // valid as long as this
  std::optional<std::int64_t> Number(std::string_view name) const;    // an integer
  std::optional<bool> Flag(std::string_view name) const;
  // A single text counts as a list of one: some providers write their groups so.
  std::optional<std::vector<std::string>> Texts(std::string_view name) const;

  bool Has(std::string_view name) const { return all_.contains(name); }
  // All claims by name, for storing and showing.
  const wire::ClaimValues& all() const { return all_; }

 private:
  Claims() = default;
  Status ReadParties();
  Status ReadTimes();

  wire::ClaimValues all_;
  std::string issuer_;
  std::string subject_;
  std::vector<std::string> audience_;
  UnixSeconds expires_at_ = 0;
  std::optional<UnixSeconds> not_before_;
  std::optional<UnixSeconds> issued_at_;
  std::optional<UnixSeconds> authenticated_at_;
  std::optional<std::string> authorized_party_;
  std::optional<std::string> nonce_;
};

}  // namespace koya::oidc
