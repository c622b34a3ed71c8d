#include "signing/key_ring.h"

#include <fmt/format.h>

#include <algorithm>

#include "signing/armor.h"
#include "signing/openpgp.h"
#include "signing/packets.h"

namespace koya::signing {
namespace {

// Nothing of the text is repeated: messages end in logs and terminals.
Status RefuseSecretKeys(std::string_view text) {
  bool found = BeginsArmor(text, "PRIVATE KEY") || BeginsArmor(text, "SECRET KEY") ||
               text.contains("PRIVATE KEY BLOCK") || HoldsSecretKey(text);
  // In blocks under another name, too, even beside blocks that are damaged.
  for (std::size_t at = text.find("-----BEGIN PGP "); at != std::string_view::npos && !found;
       at = text.find("-----BEGIN PGP ", at + 1)) {
    const std::size_t next = text.find("-----BEGIN PGP ", at + 1);
    const auto block = ReadArmor(text.substr(at, next - at));
    found = block && std::ranges::any_of(*block, HoldsSecretKey, &ArmorBlock::bytes);
  }
  if (!found) return {};
  return Fail(
      ErrorKind::kInvalid,
      "this text contains a secret key; it was not stored. Send only the public key: gpg --armor "
      "--export KEY. The secret key may have been seen on its way: consider a new one");
}

Failure NoPlaceFor(Tag tag) {
  return Fail(ErrorKind::kInvalid,
              fmt::format("there is an OpenPGP packet of kind {} among the public keys, which does "
                          "not belong there; export the key again with gpg --armor --export KEY",
                          static_cast<unsigned>(tag)));
}

class RingBuilder {
 public:
  Status Add(const Packet& packet) {
    const bool begins = packet.tag == Tag::kPublicKey;
    if (!begins && rings_.empty()) return NoPlaceFor(packet.tag);
    if (begins && rings_.size() == kMaxKeysInText) {
      return Fail(
          ErrorKind::kInvalid,
          fmt::format("the text has more than {} keys; send fewer at a time", kMaxKeysInText));
    }
    if (begins) rings_.emplace_back();
    if (begins || packet.tag == Tag::kPublicSubkey) {
      ASSIGN_OR_RETURN(PublicKeyPacket key, ParsePublicKey(packet.body));
      rings_.back().keys.push_back(std::move(key));
      if (rings_.back().keys.size() > kMaxSubkeys + 1) {
        return Fail(ErrorKind::kInvalid,
                    fmt::format("the key {} has more than {} subkeys; export it without the old "
                                "ones",
                                rings_.back().keys.front().fingerprint, kMaxSubkeys));
      }
    }
    rings_.back().bytes += packet.whole;
    return {};
  }

  Result<std::vector<KeyRing>> Finish() {
    std::vector<std::string_view> seen;
    for (const KeyRing& ring : rings_) {
      const std::string& fingerprint = ring.keys.front().fingerprint;
      if (std::ranges::find(seen, fingerprint) != seen.end()) {
        return Fail(ErrorKind::kInvalid,
                    fmt::format("the key {} is there twice; send it once", fingerprint));
      }
      seen.emplace_back(fingerprint);
    }
    return std::move(rings_);
  }

 private:
  std::vector<KeyRing> rings_;
};

bool MayStandInKey(Tag tag) {
  return tag == Tag::kSignature || tag == Tag::kPublicKey || tag == Tag::kUserId ||
         tag == Tag::kPublicSubkey || tag == Tag::kUserAttribute;
}

}  // namespace

Result<std::vector<KeyRing>> ReadKeyRings(std::string_view text) {
  RETURN_IF_ERROR(RefuseSecretKeys(text));
  if (text.size() > kMaxKeyText) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("the keys have {} bytes; the limit is {}", text.size(), kMaxKeyText));
  }
  ASSIGN_OR_RETURN(const std::vector<ArmorBlock> blocks, ReadArmor(text));
  if (blocks.empty()) {
    return Fail(ErrorKind::kInvalid,
                "this text has no OpenPGP key; send the output of gpg --armor --export KEY, from "
                "its BEGIN line to its END line");
  }
  RingBuilder builder;
  for (const ArmorBlock& block : blocks) {
    if (block.label != kPublicKeyLabel) {
      return Fail(
          ErrorKind::kInvalid,
          "an armored block is not a public key; send the output of gpg --armor --export KEY");
    }
    const auto read = ReadPackets(block.bytes);
    if (!read) {
      return Fail(ErrorKind::kInvalid, read.error().message + "; export the key again");
    }
    const std::vector<Packet>& packets = *read;
    if (packets.empty()) {
      return Fail(ErrorKind::kInvalid, "an armored block is empty; export the key again");
    }
    if (packets.front().tag != Tag::kPublicKey) return NoPlaceFor(packets.front().tag);
    for (const Packet& packet : packets) {
      if (!MayStandInKey(packet.tag)) return NoPlaceFor(packet.tag);
      RETURN_IF_ERROR(builder.Add(packet));
    }
  }
  return builder.Finish();
}

const KeyFacts* KeyRingFacts::FindKey(std::string_view fingerprint) const {
  const auto found = std::ranges::find(keys, fingerprint, &KeyFacts::fingerprint);
  return found == keys.end() ? nullptr : &*found;
}

}  // namespace koya::signing
