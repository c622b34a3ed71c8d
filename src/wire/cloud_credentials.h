// Credentials from the metadata services of clouds, for containers (ECS, EKS pod identity) and
// machines (IMDSv2).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::wire {

struct CloudCredentials {
  std::string access_key;  // AccessKeyId
  std::string secret_key;  // SecretAccessKey
  std::string token;       // Token; "": none
  std::string expiration;  // Expiration, as RFC 3339; "": never
};

// Fails: kInvalid; the message never contains a value.
Result<CloudCredentials> DecodeCloudCredentials(std::string_view body);

}  // namespace koya::wire
