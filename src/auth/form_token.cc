#include "auth/form_token.h"

#include <span>

#include "base/base64.h"
#include "base/secrets.h"
#include "base/sha256.h"

namespace koya::auth {
namespace {

// Keeps this key apart from whatever else is derived from server.secret.
constexpr std::string_view kFormPurpose = "koya forms, 1";

Sha256Bytes FormKey(std::string_view server_secret) {
  return HmacSha256(std::as_bytes(std::span(server_secret)), {kFormPurpose});
}

std::string FormTokenOf(const Sha256Bytes& key, std::string_view cookie) {
  return Base64UrlEncode(HmacSha256(key, {cookie}));
}

}  // namespace

FormTokens::FormTokens(std::string_view server_secret, std::string_view previous)
    : key_(FormKey(server_secret)) {
  if (!previous.empty()) previous_ = FormKey(previous);
}

FormTokens::~FormTokens() {
  WipeSecret(key_);
  if (previous_) WipeSecret(*previous_);
}

std::string FormTokens::For(std::string_view cookie) const { return FormTokenOf(key_, cookie); }

bool FormTokens::Check(std::string_view cookie, std::string_view token) const {
  if (cookie.empty()) return false;
  return EqualSecrets(FormTokenOf(key_, cookie), token) ||
         (previous_ && EqualSecrets(FormTokenOf(*previous_, cookie), token));
}

}  // namespace koya::auth
