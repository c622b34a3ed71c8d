// Documents fetched from issuers: the first byte says whether the rest is a key set, an issuer's
// discovery document, or rules for claims. Accepted ones are within the limits, and no key verifies
// text that it did not sign.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "oidc/claim_rules.h"
#include "oidc/discovery_document.h"
#include "oidc/jwks.h"

namespace {

namespace oidc = koya::oidc;

void Must(bool holds) {
  if (!holds) std::abort();
}

template <class T>
bool Taken(const koya::Result<T>& result) {
  if (result) return true;
  Must(result.error().kind == koya::ErrorKind::kInvalid && !result.error().message.empty());
  return false;
}

void CheckKeys(std::string_view document) {
  const auto keys = oidc::KeySet::Parse(document);
  if (!Taken(keys)) return;
  Must(keys->size() <= oidc::KeySet::kMaxKeys);
  Must(keys->left_out().size() <= oidc::KeySet::kMaxKeys);
  Must(keys->WithId("").size() == keys->size());
  const std::string signature(64, '\x11');
  for (const oidc::VerificationKey* key : keys->WithId("")) {
    Must(key->key != nullptr);
    Must(keys->WithId(key->kid).size() >= 1);
    Must(!key->algorithm || key->Fits(*key->algorithm));
    for (const oidc::Algorithm each : oidc::kAlgorithms) {
      // Ed25519 keys of small order, which no issuer has, verify what they like.
      if (key->kind == oidc::KeyKind::kEd25519 || !key->Fits(each)) continue;
      Must(!oidc::VerifySignature(each, *key, "text", signature));
    }
  }
}

void CheckConfiguration(std::string_view document) {
  constexpr std::string_view kIssuer = "https://id.example.com";
  const auto read = oidc::ParseDiscoveryDocument(kIssuer, document);
  if (!Taken(read)) return;
  Must(read->issuer == kIssuer && read->jwks_uri.starts_with("https://"));
  for (const std::string& url : {read->authorization_endpoint, read->token_endpoint}) {
    Must(url.empty() || url.starts_with("https://"));
  }
  (void)oidc::CheckOffersSignIn(*read);
}

void CheckRules(std::string_view text) {
  std::vector<std::string> rules;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    rules.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  const auto parsed = oidc::ClaimRules::Parse(oidc::kGitHubIssuer, rules);
  if (!Taken(parsed)) return;
  Must(parsed->texts() == rules);
  // An attacker who controls all of their claims.
  const auto stranger = oidc::Claims::Parse(
      R"({"iss":"https://token.actions.githubusercontent.com","aud":"a","exp":1,"sub":"repo:~/~",
          "repository":"~/~","repository_owner":"~","repository_id":"~","repository_owner_id":"~",
          "workflow_ref":"~/~","project_path":"~/~","namespace_path":"~","project_id":"~",
          "namespace_id":"~","ref":"refs/heads/main","environment":"prod"})");
  Must(stranger.has_value());
  Must(text.contains('~') || !parsed->CheckClaims(*stranger));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4U) {  // '0' to '3'
    case 0:
      CheckConfiguration(rest);
      break;
    case 1:
      CheckRules(rest);
      break;
    default:
      CheckKeys(rest);
  }
  return 0;
}
