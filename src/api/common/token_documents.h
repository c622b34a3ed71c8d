// Conversions of tokens between the wire and the service.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "wire/tokens.h"

namespace koya {
struct TokenRecord;
}
namespace koya::service {
struct NewToken;
}

namespace koya::api {

// The result never contains the token's text.
wire::Token ToWire(const TokenRecord& record);

// Fails: kInvalid: an unknown scope or an invalid duration.
Result<service::NewToken> FromWire(wire::TokenRequest request);

// Parses a lifetime in a request; "": none. Fails: kInvalid.
Result<std::optional<std::chrono::seconds>> LifeFromWire(std::string_view text);

}  // namespace koya::api
