// Finds API tokens in Basic credentials (RFC 7617), the only form in which clients send what a
// `.netrc` holds (ADR 86). Pure functions.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace koya::auth {

// Memory for a decoded Basic field, left uninitialised: it is made for each request. Longer
// credentials count as none.
struct BasicBuffer {
  std::array<char, 512> bytes;
};

// Whether an Authorization field has the scheme Basic, in any letter case.
bool IsBasic(std::string_view authorization);

// The Bearer field of the token in a Basic field, so that both forms are checked alike: of a
// password that begins with "koya_", whatever the user name. A view into `buffer`; never allocates.
// nullopt: the field is malformed, or its password is another.
std::optional<std::string_view> BearerOfBasic(std::string_view authorization, BasicBuffer& buffer);

}  // namespace koya::auth
