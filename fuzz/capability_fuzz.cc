// Capability URLs: for any query, an accepted one was signed by this server for exactly that path,
// and a signed one is accepted among other parameters, and rejected after any change.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "auth/capability.h"
#include "domain/digest.h"

namespace {

using koya::auth::CapabilityBearer;
using koya::auth::CapabilitySigner;

constexpr koya::UnixSeconds kEnd = 1770000000;
constexpr koya::UnixSeconds kNow = kEnd - 600;

enum class Answer { kNone, kTaken, kRefused };

Answer Ask(const CapabilitySigner& signer, std::string_view path, std::string_view query) {
  const auto bearer = signer.Verify(path, query, kNow);
  // Who is named is who would be taken, but for the end.
  if (bearer && signer.SignedFor(path, query) != *bearer) std::abort();
  if (bearer) return *bearer ? Answer::kTaken : Answer::kNone;
  if (bearer.error().message.empty()) std::abort();  // a refusal without a reason
  if (bearer.error().kind != koya::ErrorKind::kForbidden) std::abort();
  return Answer::kRefused;
}

// Of a query that names neither parameter.
void CheckSignedBeside(const CapabilitySigner& signer, std::string_view path,
                       std::string_view others) {
  const CapabilityBearer bearer =
      CapabilityBearer::Of(CapabilityBearer::Kind::kToken, koya::Digest::Of(others));
  const std::string good = signer.Sign(path, bearer, kEnd);
  for (const std::string& query :
       {std::string(others) + "&" + good, good + "&" + std::string(others)}) {
    const auto taken = signer.Verify(path, query, kNow);
    if (!taken || *taken != bearer) std::abort();
    if (Ask(signer, std::string(path) + "x", query) != Answer::kRefused) std::abort();
    if (Ask(signer, path, query + "&" + good) != Answer::kRefused) std::abort();
  }
  std::string slip = good;
  char& changed = slip[others.size() % slip.size()];
  changed = changed == 'a' ? 'b' : 'a';
  if (Ask(signer, path, slip) == Answer::kTaken) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const CapabilitySigner signer("0123456789abcdef", "the secret before it");
  const std::string_view target(reinterpret_cast<const char*>(data), size);
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, mark);
  const std::string_view query = target.substr(std::min(mark + 1, target.size()));
  switch (Ask(signer, path, query)) {
    case Answer::kNone:
      CheckSignedBeside(signer, path, query);
      break;
    case Answer::kTaken:
      if (Ask(signer, std::string(path) + "x", query) != Answer::kRefused) std::abort();
      if (Ask(signer, path, std::string(query) + "&sig=") != Answer::kRefused) std::abort();
      if (Ask(CapabilitySigner("another secret"), path, query) != Answer::kRefused) std::abort();
      break;
    case Answer::kRefused:
      break;
  }
  return 0;
}
