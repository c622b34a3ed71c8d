// JSON documents of signing in, from anonymous clients and from other servers: the first byte
// chooses. Accepted ones survive encoding and decoding once more.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wire/foreign/openid.h"
#include "wire/identity.h"
#include "wire/sign_in.h"

namespace {

namespace wire = koya::wire;

// A refusal has a reason.
template <class Decoded>
bool Taken(const Decoded& document) {
  if (document) return true;
  if (document.error().message.empty()) std::abort();
  return false;
}

template <class Decode, class Encode>
void RoundTrip(std::string_view body, Decode decode, Encode encode) {
  const auto document = decode(body);
  if (!Taken(document)) return;
  const auto again = decode(encode(*document));
  if (!again || *again != *document) std::abort();
}

// Documents from anonymous clients.
void FromStrangers(std::string_view body) {
  RoundTrip(body, wire::Decode<wire::TokenExchange>, wire::Encode<wire::TokenExchange>);
  RoundTrip(body, wire::Decode<wire::SetupRequest>, wire::Encode<wire::SetupRequest>);
}

// What the command line is answered, by login.v1 of any host and by the CI that it runs in.
void ToTheCommandLine(std::string_view body) {
  RoundTrip(body, wire::Decode<wire::AccessToken>, wire::Encode<wire::AccessToken>);
  RoundTrip(body, wire::Decode<wire::OAuthError>, wire::Encode<wire::OAuthError>);
  RoundTrip(body, wire::Decode<wire::ExchangedToken>, wire::Encode<wire::ExchangedToken>);
  (void)Taken(wire::DecodeCiToken(body));
  (void)Taken(wire::DecodeLoginService(body));
}

// What the server is answered by a sign-in provider.
void ToTheServer(std::string_view body) {
  const auto answer = wire::Decode<wire::TokenEndpointAnswer>(body);
  if (!Taken(answer)) return;
  const std::size_t held =
      answer->id_token.size() + answer->error.size() + answer->error_description.size();
  if (held > body.size()) std::abort();  // nothing is made up
}

// What administrators and owners send.
void FromPeople(std::string_view body) {
  RoundTrip(body, wire::Decode<wire::PasswordRequest>, wire::Encode<wire::PasswordRequest>);
  RoundTrip(body, wire::Decode<wire::TrustRequest>, wire::Encode<wire::TrustRequest>);
  RoundTrip(body, wire::Decode<wire::IdentityProvider>, wire::Encode<wire::IdentityProvider>);
  RoundTrip(body, wire::DecodeProvenance, wire::EncodeProvenance);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4U) {  // '0' to '3'
    case 0:
      FromStrangers(body);
      break;
    case 1:
      ToTheCommandLine(body);
      break;
    case 2:
      ToTheServer(body);
      break;
    default:
      FromPeople(body);
  }
  return 0;
}
