#include "oidc/claims.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace koya::oidc {
namespace {

// The last second of the year 9999: far enough, and sums with it never overflow.
constexpr UnixSeconds kLastTime = 253'402'300'799;

Failure ClaimMustBe(std::string_view name, std::string_view wanted) {
  return FailInvalid("the token's claims: \"{}\" must be {}", name, wanted);
}

template <class T>
const T* FindClaim(const wire::ClaimValues& all, std::string_view name) {
  const auto found = all.find(name);
  return found == all.end() ? nullptr : std::get_if<T>(&found->second);
}

bool HasControlCharacter(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

Result<std::string> NeededText(const wire::ClaimValues& all, std::string_view name) {
  const auto* text = FindClaim<std::string>(all, name);
  if (text == nullptr || text->empty()) return ClaimMustBe(name, "present, and text");
  return *text;
}

Result<std::optional<std::string>> OptionalText(const wire::ClaimValues& all,
                                                std::string_view name) {
  if (!all.contains(name)) return std::optional<std::string>();
  const auto* text = FindClaim<std::string>(all, name);
  if (text == nullptr) return ClaimMustBe(name, "text");
  return std::optional(*text);
}

Result<std::optional<UnixSeconds>> OptionalTime(const wire::ClaimValues& all,
                                                std::string_view name) {
  if (!all.contains(name)) return std::optional<UnixSeconds>();
  if (const auto* whole = FindClaim<std::int64_t>(all, name)) {
    if (*whole >= 0 && *whole <= kLastTime) return std::optional(*whole);
  } else if (const auto* number = FindClaim<double>(all, name)) {
    if (*number >= 0 && *number <= static_cast<double>(kLastTime)) {
      return std::optional(static_cast<UnixSeconds>(std::floor(*number)));
    }
  }
  return ClaimMustBe(name, "a time: seconds since 1970, before the year 10000");
}

}  // namespace

Result<Claims> Claims::Parse(std::string_view json) {
  Claims out;
  ASSIGN_OR_RETURN(out.all_, wire::DecodeClaims(json));
  RETURN_IF_ERROR(out.ReadParties());
  RETURN_IF_ERROR(out.ReadTimes());
  return out;
}

Status Claims::ReadParties() {
  ASSIGN_OR_RETURN(issuer_, NeededText(all_, "iss"));
  ASSIGN_OR_RETURN(subject_, NeededText(all_, "sub"));
  if (subject_.size() > kMaxSubject || HasControlCharacter(subject_)) {
    return ClaimMustBe("sub", "at most 1024 bytes, without control characters");
  }
  audience_ = Texts("aud").value_or(std::vector<std::string>());
  if (audience_.empty() || std::ranges::find(audience_, "") != audience_.end()) {
    return ClaimMustBe("aud", "present: text, or a list of text");
  }
  ASSIGN_OR_RETURN(authorized_party_, OptionalText(all_, "azp"));
  ASSIGN_OR_RETURN(nonce_, OptionalText(all_, "nonce"));
  return {};
}

Status Claims::ReadTimes() {
  ASSIGN_OR_RETURN(const std::optional<UnixSeconds> end, OptionalTime(all_, "exp"));
  if (!end) return ClaimMustBe("exp", "present: a token that never expires is rejected");
  expires_at_ = *end;
  ASSIGN_OR_RETURN(not_before_, OptionalTime(all_, "nbf"));
  ASSIGN_OR_RETURN(issued_at_, OptionalTime(all_, "iat"));
  ASSIGN_OR_RETURN(authenticated_at_, OptionalTime(all_, "auth_time"));
  return {};
}

std::optional<std::string_view> Claims::Text(std::string_view name) const {
  const auto* text = FindClaim<std::string>(all_, name);
  return text == nullptr ? std::nullopt : std::optional<std::string_view>(*text);
}

std::optional<std::int64_t> Claims::Number(std::string_view name) const {
  const auto* number = FindClaim<std::int64_t>(all_, name);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<bool> Claims::Flag(std::string_view name) const {
  const auto* flag = FindClaim<bool>(all_, name);
  return flag == nullptr ? std::nullopt : std::optional(*flag);
}

std::optional<std::vector<std::string>> Claims::Texts(std::string_view name) const {
  if (const auto* list = FindClaim<std::vector<std::string>>(all_, name)) return *list;
  if (const auto* text = FindClaim<std::string>(all_, name)) return std::vector{*text};
  return std::nullopt;
}

}  // namespace koya::oidc
