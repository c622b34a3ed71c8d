// OpenPGP test keys and signatures, made once with gpg 2.2 for these tests alone; their secret
// halves are gone. The keys begin on 2024-01-01, the signatures are of 2024-03-01.
#pragma once

#include <string_view>

#include "base/clock.h"

namespace koya::signing {

inline constexpr UnixSeconds kKeysMadeAt = 1704067200;  // 2024-01-01
inline constexpr UnixSeconds kSignedAt = 1709251200;    // 2024-03-01
inline constexpr UnixSeconds kKeyExpiry = 1717243200;   // 2024-06-01, about noon
inline constexpr UnixSeconds kNow = 1733011200;         // 2024-12-01

// What all of TestSignature sign.
inline constexpr std::string_view kDocument =
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  "
    "terraform-provider-demo_1.0.0_linux_amd64.zip\n"
    "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752  "
    "terraform-provider-demo_1.0.0_manifest.json\n";

// Armored; aborts when there is none of that name.
std::string_view TestKey(std::string_view name);
std::string_view TestSignature(std::string_view name);

}  // namespace koya::signing
