// Tokens between the wire and the service.
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

// Never holds the token's text.
wire::Token ToWire(const TokenRecord& record);

// Fails: kInvalid: an unknown scope, a duration that is none.
Result<service::NewToken> FromWire(wire::TokenRequest request);

// A life as it stands in a request; "" is none. Fails: kInvalid.
Result<std::optional<std::chrono::seconds>> LifeFromWire(std::string_view text);

}  // namespace koya::api
