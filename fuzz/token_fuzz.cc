// Authorization fields: an accepted token has the form of one, a token that lost or changed a
// character is rejected, and BearerText() is never longer than a token. A Basic field's token is
// the end of what it decodes to.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "auth/token.h"
#include "base/encoding.h"

namespace {

constexpr std::string_view kPrefix = "koya_";
constexpr std::size_t kOld = 48, kNew = 54;

bool Takes(std::string_view token) {
  return koya::auth::ParseBearer("Bearer " + std::string(token)).has_value();
}

void CheckBasic(std::string_view field) {
  koya::auth::BasicBuffer buffer;
  const auto bearer = koya::auth::BearerOfBasic(field, buffer);
  if (!bearer) return;
  constexpr std::string_view kScheme = "Bearer ";
  if (!koya::auth::IsBasic(field) || !bearer->starts_with(kScheme)) std::abort();
  const std::string token = ":" + std::string(bearer->substr(kScheme.size()));
  const auto pair = koya::Base64Decode(field.substr(field.find_last_of(' ') + 1));
  if (!pair || !pair->ends_with(token) || !token.starts_with(":koya_")) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view field(reinterpret_cast<const char*>(data), size);
  const auto token = koya::auth::ParseBearer(field);
  const std::string_view text = koya::auth::BearerText(field);
  CheckBasic(field);
  if (text.size() > kNew) std::abort();
  if (!token) {
    if (token.error().message.empty()) std::abort();  // a refusal without a reason
    return 0;
  }
  if (*token != text || !token->starts_with(kPrefix)) std::abort();
  if (token->size() != kOld && token->size() != kNew) std::abort();
  if (token->size() == kOld) return 0;
  if (!Takes(token->substr(0, kOld))) std::abort();  // the same without its checksum
  for (std::size_t cut = kOld + 1; cut < kNew; ++cut) {
    if (Takes(token->substr(0, cut))) std::abort();
  }
  std::string slip(*token);
  char& changed = slip[kPrefix.size() + size % (kNew - kPrefix.size())];
  changed = changed == 'a' ? 'b' : 'a';
  if (Takes(slip)) std::abort();
  return 0;
}
