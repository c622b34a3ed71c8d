#include "wire/foreign/cloud_credentials.h"

#include "wire/document.h"

namespace koya::wire {

template <>
constexpr auto kDocument<CloudCredentials> =
    Document("the credentials", Required("AccessKeyId", &CloudCredentials::access_key),
             Required("SecretAccessKey", &CloudCredentials::secret_key),
             Optional("Token", &CloudCredentials::token),
             Optional("Expiration", &CloudCredentials::expiration));

template Result<CloudCredentials> Decode(std::string_view);

}  // namespace koya::wire
