// Detached OpenPGP signatures: an accepted one is binary and stays unchanged, is checked packet by
// packet, and is good for one document at most.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "signing/openpgp.h"
#include "signing/openpgp_fake.h"
#include "signing/packets.h"

namespace {

namespace signing = koya::signing;
using State = signing::CheckedSignature::State;

void Must(bool holds) {
  if (!holds) std::abort();
}

const std::vector<std::string>& Armors() {
  static const auto* const kArmors = new std::vector<std::string>{
      std::string(signing::TestKey("ed25519")), std::string(signing::TestKey("p256")),
      std::string(signing::TestKey("rsa2048")), std::string(signing::TestKey("dsa"))};
  return *kArmors;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto binary = signing::BinarySignature(bytes);
  if (!binary) {
    Must(binary.error().kind == koya::ErrorKind::kInvalid && !binary.error().message.empty());
    return 0;
  }
  Must(signing::BinarySignature(*binary) == *binary);
  const auto here = signing::CheckSignatures(signing::kDocument, *binary, Armors(), signing::kNow);
  const auto there = signing::CheckSignatures("another", *binary, Armors(), signing::kNow);
  Must(here && there && here->size() == there->size());
  Must(here->size() == signing::ReadPackets(*binary)->size());
  for (std::size_t i = 0; i < here->size(); ++i) {
    const signing::CheckedSignature& one = (*here)[i];
    Must((*there)[i].state != State::kGood);
    Must((one.state == State::kUnknownKey) == one.fingerprint.empty());
    Must(one.state == State::kUnknownKey || !one.key_id.empty());
    Must(!one.hash.empty());
  }
  return 0;
}
