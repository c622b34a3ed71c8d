#include "signing/public_key_packet.h"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <array>
#include <bit>

#include "signing/packets.h"

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

}  // namespace koya::signing
