// Tokens between the wire and the service.
#pragma once

#include "base/result.h"
#include "service/tokens.h"
#include "wire/tokens.h"

namespace koya::api {

// Never holds the token's text.
wire::Token ToWire(const TokenRecord& record);

// Fails: kInvalid: an unknown scope, a duration that is none.
Result<service::NewToken> FromWire(wire::TokenRequest request);

}  // namespace koya::api
