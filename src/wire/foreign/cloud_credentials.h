// Credentials from the metadata services of clouds, for containers (ECS, EKS pod identity) and
// machines (IMDSv2).
#pragma once

#include <string>
#include <string_view>

#include "wire/endpoint.h"

namespace koya::wire {

// The message of a Decode that fails never contains a value.
struct CloudCredentials {
  std::string access_key;  // AccessKeyId
  std::string secret_key;  // SecretAccessKey
  std::string token;       // Token; "": none
  std::string expiration;  // Expiration, as RFC 3339; "": never
};

}  // namespace koya::wire
