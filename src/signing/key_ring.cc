#include "signing/key_ring.h"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <rnp/rnp.h>
#include <rnp/rnp_err.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/text.h"
#include "signing/armor.h"
#include "signing/openpgp.h"
#include "signing/packets.h"
#include "signing/rnp_session.h"

namespace koya::signing {
namespace {

using namespace std::string_view_literals;  // curves have NUL in their numbers

using BigNumber = Handle<BIGNUM, BN_free>;
using ParamBuilder = Handle<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using Params = Handle<OSSL_PARAM, OSSL_PARAM_free>;
using KeyContext = Handle<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;

// Far above any size in use, far below sizes that take long.
constexpr std::size_t kMaxRsaBits = 8192;
constexpr std::size_t kMaxExponentBits = 64;
constexpr std::size_t kMaxDsaBits = 4096;
constexpr std::size_t kMinRsaBitsOfClients = 2048;

struct Curve {
  std::string_view oid;  // as in the packet
  std::string_view name;
  const char* openssl_name;
  bool usable_by_clients;
};

constexpr std::string_view kEd25519Oid = "\x2B\x06\x01\x04\x01\xDA\x47\x0F\x01"sv;
constexpr std::array<Curve, 7> kCurves = {{
    {"\x2A\x86\x48\xCE\x3D\x03\x01\x07"sv, "P-256", "P-256", true},
    {"\x2B\x81\x04\x00\x22"sv, "P-384", "P-384", true},
    {"\x2B\x81\x04\x00\x23"sv, "P-521", "P-521", true},
    {"\x2B\x81\x04\x00\x0A"sv, "secp256k1", "secp256k1", false},
    {"\x2B\x24\x03\x03\x02\x08\x01\x01\x07"sv, "brainpoolP256r1", "brainpoolP256r1", false},
    {"\x2B\x24\x03\x03\x02\x08\x01\x01\x0B"sv, "brainpoolP384r1", "brainpoolP384r1", false},
    {"\x2B\x24\x03\x03\x02\x08\x01\x01\x0D"sv, "brainpoolP512r1", "brainpoolP512r1", false},
}};

Failure Damaged(std::string_view what) {
  return FailInvalid("an OpenPGP public key {}; export it again", what);
}

std::size_t Bits(std::string_view digits) {
  if (digits.empty()) return 0;
  return digits.size() * 8 - 8 + std::bit_width(static_cast<unsigned char>(digits[0]));
}

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

BigNumber Number(std::string_view digits) {
  return BigNumber(BN_bin2bn(Bytes(digits), static_cast<int>(digits.size()), nullptr));
}

KeyHandle FromParams(const char* type, ParamBuilder builder) {
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (params != nullptr && context != nullptr && EVP_PKEY_fromdata_init(context.get()) == 1 &&
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1) {
    key = nullptr;  // not a point of the curve, for one
  }
  return KeyHandle(key);
}

Status ReadRsa(FieldReader& fields, PublicKeyPacket& packet) {
  const std::string_view modulus = fields.Mpi();
  const std::string_view exponent = fields.Mpi();
  packet.algorithm = fmt::format("RSA {}", Bits(modulus));
  if (Bits(modulus) > kMaxRsaBits || Bits(exponent) > kMaxExponentBits) {
    return Damaged(fmt::format("has RSA numbers of {} and {} bits, more than {} and {}",
                               Bits(modulus), Bits(exponent), kMaxRsaBits, kMaxExponentBits));
  }
  constexpr std::uint8_t kEncryptsOnly = 2;
  if (packet.algorithm_id == kEncryptsOnly) return {};
  packet.usable_by_clients = Bits(modulus) >= kMinRsaBitsOfClients;
  const BigNumber n = Number(modulus);
  const BigNumber e = Number(exponent);
  ParamBuilder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
  packet.key = FromParams("RSA", std::move(builder));
  return {};
}

Status ReadDsa(FieldReader& fields, PublicKeyPacket& packet) {
  constexpr std::array<const char*, 4> kNames = {OSSL_PKEY_PARAM_FFC_P, OSSL_PKEY_PARAM_FFC_Q,
                                                 OSSL_PKEY_PARAM_FFC_G, OSSL_PKEY_PARAM_PUB_KEY};
  std::array<BigNumber, 4> numbers;  // must live until the parameters are built
  ParamBuilder builder(OSSL_PARAM_BLD_new());
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const std::string_view digits = fields.Mpi();
    if (i == 0) packet.algorithm = fmt::format("DSA {}", Bits(digits));
    if (Bits(digits) > kMaxDsaBits) return Damaged("has DSA numbers of an unusable size");
    numbers[i] = Number(digits);
    OSSL_PARAM_BLD_push_BN(builder.get(), kNames[i], numbers[i].get());
  }
  packet.key = FromParams("DSA", std::move(builder));
  return {};
}

Status ReadElgamal(FieldReader& fields, PublicKeyPacket& packet) {
  packet.algorithm = "ElGamal";
  for (int i = 0; i < 3; ++i) {
    if (Bits(fields.Mpi()) > kMaxDsaBits) return Damaged("has ElGamal numbers of an unusable size");
  }
  return {};
}

const Curve* FindCurve(std::string_view oid) {
  for (const Curve& curve : kCurves) {
    if (curve.oid == oid) return &curve;
  }
  return nullptr;
}

Status ReadEcdsa(FieldReader& fields, PublicKeyPacket& packet) {
  const Curve* curve = FindCurve(fields.Bytes(fields.Number(1)));
  const std::string_view point = fields.Mpi();
  packet.algorithm =
      curve == nullptr ? "ECDSA, unknown curve" : fmt::format("ECDSA {}", curve->name);
  if (curve == nullptr) return {};
  packet.usable_by_clients = curve->usable_by_clients;
  ParamBuilder builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, curve->openssl_name,
                                  0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                   point.size());
  packet.key = FromParams("EC", std::move(builder));
  return {};
}

Status ReadEddsa(FieldReader& fields, PublicKeyPacket& packet) {
  constexpr char kNativePoint = 0x40;
  constexpr std::size_t kPointSize = 32;
  const std::string_view oid = fields.Bytes(fields.Number(1));
  const std::string_view point = fields.Mpi();
  packet.algorithm = oid == kEd25519Oid ? "Ed25519" : "EdDSA, unknown curve";
  if (oid != kEd25519Oid) return {};
  if (point.size() != kPointSize + 1 || point[0] != kNativePoint) {
    return Damaged("has no Ed25519 point");
  }
  packet.usable_by_clients = true;
  packet.key.reset(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Bytes(point) + 1, kPointSize));
  return {};
}

// RFC 4880 §9.1.
Status ReadNumbers(FieldReader& fields, PublicKeyPacket& packet) {
  switch (packet.algorithm_id) {
    case 1:
    case 2:
    case 3:
      return ReadRsa(fields, packet);
    case 16:
      return ReadElgamal(fields, packet);
    case 17:
      return ReadDsa(fields, packet);
    case 18:
      packet.algorithm = "ECDH";
      return {};
    case 19:
      return ReadEcdsa(fields, packet);
    case 22:
      return ReadEddsa(fields, packet);
    default:
      packet.algorithm = fmt::format("algorithm {}", packet.algorithm_id);
      return {};
  }
}

std::string Sha1(std::string_view prefix, std::string_view body) {
  const Handle<EVP_MD_CTX, EVP_MD_CTX_free> context(EVP_MD_CTX_new());
  std::string digest(20, '\0');
  EVP_DigestInit_ex(context.get(), EVP_sha1(), nullptr);
  EVP_DigestUpdate(context.get(), prefix.data(), prefix.size());
  EVP_DigestUpdate(context.get(), body.data(), body.size());
  EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return digest;
}

}  // namespace

Result<PublicKeyPacket> ParsePublicKey(std::string_view body) {
  FieldReader fields(body);
  const std::uint32_t version = fields.Number(1);
  if (fields.ok() && version != 4) {
    return FailInvalid(
        "an OpenPGP public key is of version {}; clients read version 4, which gpg creates",
        version);
  }
  PublicKeyPacket packet;
  packet.created_at = fields.Number(4);
  packet.algorithm_id = static_cast<std::uint8_t>(fields.Number(1));
  RETURN_IF_ERROR(ReadNumbers(fields, packet));
  // The fingerprint has two bytes for the size (§12.2).
  if (!fields.ok() || body.size() > 0xFFFF) return Damaged("is cut off");
  const std::string prefix = {static_cast<char>(0x99), static_cast<char>(body.size() >> 8U),
                              static_cast<char>(body.size())};
  packet.fingerprint = UpperHex(Sha1(prefix, body));
  return packet;
}

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
  return FailInvalid(
      "this text contains a secret key; it was not stored. Send only the public key: gpg --armor "
      "--export KEY. The secret key may have been seen on its way: consider a new one");
}

Failure NoPlaceFor(Tag tag) {
  return FailInvalid(
      "there is an OpenPGP packet of kind {} among the public keys, which does "
      "not belong there; export the key again with gpg --armor --export KEY",
      static_cast<unsigned>(tag));
}

class RingBuilder {
 public:
  Status Add(const Packet& packet) {
    const bool begins = packet.tag == Tag::kPublicKey;
    if (!begins && rings_.empty()) return NoPlaceFor(packet.tag);
    if (begins && rings_.size() == kMaxKeysInText) {
      return FailInvalid("the text has more than {} keys; send fewer at a time", kMaxKeysInText);
    }
    if (begins) rings_.emplace_back();
    if (begins || packet.tag == Tag::kPublicSubkey) {
      ASSIGN_OR_RETURN(PublicKeyPacket key, ParsePublicKey(packet.body));
      rings_.back().keys.push_back(std::move(key));
      if (rings_.back().keys.size() > kMaxSubkeys + 1) {
        return FailInvalid(
            "the key {} has more than {} subkeys; export it without the old "
            "ones",
            rings_.back().keys.front().fingerprint, kMaxSubkeys);
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
        return FailInvalid("the key {} is there twice; send it once", fingerprint);
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
    return FailInvalid("the keys have {} bytes; the limit is {}", text.size(), kMaxKeyText);
  }
  ASSIGN_OR_RETURN(const std::vector<ArmorBlock> blocks, ReadArmor(text));
  if (blocks.empty()) {
    return FailInvalid(
        "this text has no OpenPGP key; send the output of gpg --armor --export KEY, from "
        "its BEGIN line to its END line");
  }
  RingBuilder builder;
  for (const ArmorBlock& block : blocks) {
    if (block.label != kPublicKeyLabel) {
      return FailInvalid(
          "an armored block is not a public key; send the output of gpg --armor --export KEY");
    }
    const auto read = ReadPackets(block.bytes);
    if (!read) {
      return Fail(ErrorKind::kInvalid, read.error().message + "; export the key again");
    }
    const std::vector<Packet>& packets = *read;
    if (packets.empty()) {
      return FailInvalid("an armored block is empty; export the key again");
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

// What librnp finds out about a key: it verifies self-signatures, bindings and revocations.

namespace {

constexpr std::size_t kMaxUserIds = 32;  // told; a key may have more
constexpr std::size_t kMaxUserIdSize = 256;

Failure Unusable(const KeyRing& ring) {
  return FailInvalid(
      "the OpenPGP key {} cannot be parsed; export it again with gpg --armor "
      "--export",
      ring.keys.front().fingerprint);
}

// A question of rnp's that answers yes or no; an unanswered one is a no.
template <auto Ask>
bool Is(rnp_key_handle_t key) {
  bool answer = false;
  return Ask(key, &answer) == RNP_SUCCESS && answer;
}

Result<KeyFacts> FactsOf(rnp_key_handle_t key, UnixSeconds now) {
  char* text = nullptr;
  RETURN_IF_ERROR(RnpOk(rnp_key_get_fprint(key, &text), "rnp_key_get_fprint"));
  const RnpText fingerprint(text);
  std::uint32_t created = 0;
  std::uint32_t lasts = 0;
  RETURN_IF_ERROR(RnpOk(rnp_key_get_creation(key, &created), "rnp_key_get_creation"));
  RETURN_IF_ERROR(RnpOk(rnp_key_get_expiration(key, &lasts), "rnp_key_get_expiration"));
  KeyFacts facts{.fingerprint = fingerprint.get()};
  if (lasts != 0) facts.expires_at = UnixSeconds{created} + lasts;
  facts.expired = facts.expires_at && *facts.expires_at <= now;
  facts.revoked = Is<rnp_key_is_revoked>(key);
  // rnp calls no key valid that has expired or is revoked.
  facts.is_bound = Is<rnp_key_is_valid>(key) || facts.expired || facts.revoked;
  bool may_sign = false;
  facts.may_sign = rnp_key_allows_usage(key, "sign", &may_sign) == RNP_SUCCESS && may_sign;
  return facts;
}

std::vector<std::string> UserIdsOf(rnp_key_handle_t key) {
  std::vector<std::string> user_ids;
  std::size_t count = 0;
  if (rnp_key_get_uid_count(key, &count) != RNP_SUCCESS) return {};
  for (std::size_t i = 0; i < count && user_ids.size() < kMaxUserIds; ++i) {
    rnp_uid_handle_t located = nullptr;
    if (rnp_key_get_uid_handle_at(key, i, &located) != RNP_SUCCESS) continue;
    const RnpUserId user_id(located);
    std::uint32_t type = 0;
    void* data = nullptr;
    std::size_t size = 0;
    if (rnp_uid_get_type(user_id.get(), &type) != RNP_SUCCESS || type != RNP_USER_ID ||
        rnp_uid_get_data(user_id.get(), &data, &size) != RNP_SUCCESS) {
      continue;
    }
    const Handle<void, rnp_buffer_destroy> freed(data);
    user_ids.push_back(
        Printable(std::string_view(static_cast<const char*>(data), size), kMaxUserIdSize));
  }
  return user_ids;
}

}  // namespace

Result<KeyRingFacts> ReadFacts(const KeyRing& ring, UnixSeconds now) {
  const QuietStderr quiet;
  ASSIGN_OR_RETURN(RnpSession session, RnpSession::Open(now));
  if (!session.Import(ring.bytes, RNP_LOAD_SAVE_PUBLIC_KEYS)) return Unusable(ring);
  const RnpKey primary = session.PrimaryKey();
  if (primary == nullptr) return Unusable(ring);
  KeyRingFacts facts;
  ASSIGN_OR_RETURN(KeyFacts primary_facts, FactsOf(primary.get(), now));
  if (primary_facts.fingerprint != ring.keys.front().fingerprint) return Unusable(ring);
  facts.user_ids = UserIdsOf(primary.get());
  facts.keys.push_back(std::move(primary_facts));
  std::size_t subkeys = 0;
  RETURN_IF_ERROR(
      RnpOk(rnp_key_get_subkey_count(primary.get(), &subkeys), "rnp_key_get_subkey_count"));
  for (std::size_t i = 0; i < subkeys; ++i) {
    rnp_key_handle_t located = nullptr;
    RETURN_IF_ERROR(
        RnpOk(rnp_key_get_subkey_at(primary.get(), i, &located), "rnp_key_get_subkey_at"));
    const RnpKey subkey(located);
    ASSIGN_OR_RETURN(KeyFacts subkey_facts, FactsOf(subkey.get(), now));
    facts.keys.push_back(std::move(subkey_facts));
  }
  return facts;
}

}  // namespace koya::signing
