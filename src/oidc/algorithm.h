// The accepted signature algorithms (RFC 7518 §3, RFC 8037): public keys only. "none" and the HS
// family, whose keys are shared secrets, have no value here, so that no input can select them.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace koya::oidc {

enum class Algorithm {
  kRs256,
  kRs384,
  kRs512,
  kPs256,
  kPs384,
  kPs512,
  kEs256,
  kEs384,
  kEdDsa,  // with Ed25519
};

inline constexpr std::array kAlgorithms = {Algorithm::kRs256, Algorithm::kRs384, Algorithm::kRs512,
                                           Algorithm::kPs256, Algorithm::kPs384, Algorithm::kPs512,
                                           Algorithm::kEs256, Algorithm::kEs384, Algorithm::kEdDsa};

constexpr std::string_view AlgorithmName(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kRs256:
      return "RS256";
    case Algorithm::kRs384:
      return "RS384";
    case Algorithm::kRs512:
      return "RS512";
    case Algorithm::kPs256:
      return "PS256";
    case Algorithm::kPs384:
      return "PS384";
    case Algorithm::kPs512:
      return "PS512";
    case Algorithm::kEs256:
      return "ES256";
    case Algorithm::kEs384:
      return "ES384";
    case Algorithm::kEdDsa:
      return "EdDSA";
  }
  return "";
}

// The names for messages: "RS256, RS384, …".
inline constexpr std::string_view kAlgorithmNames =
    "RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 or EdDSA";

// Case-sensitive, as the standard requires.
constexpr std::optional<Algorithm> ParseAlgorithm(std::string_view name) {
  for (const Algorithm each : kAlgorithms) {
    if (name == AlgorithmName(each)) return each;
  }
  return std::nullopt;
}

// The type of a key, which determines the algorithms it can verify: each algorithm has one key
// type.
enum class KeyKind { kRsa, kP256, kP384, kEd25519 };

constexpr KeyKind KindFor(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kEs256:
      return KeyKind::kP256;
    case Algorithm::kEs384:
      return KeyKind::kP384;
    case Algorithm::kEdDsa:
      return KeyKind::kEd25519;
    case Algorithm::kRs256:
    case Algorithm::kRs384:
    case Algorithm::kRs512:
    case Algorithm::kPs256:
    case Algorithm::kPs384:
    case Algorithm::kPs512:
      return KeyKind::kRsa;
  }
  return KeyKind::kRsa;
}

}  // namespace koya::oidc
