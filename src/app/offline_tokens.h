// Tokens straight in a stopped server's catalog: the way in when no admin token is left.
#pragma once

#include <string>
#include <vector>

#include "app/settings.h"
#include "base/result.h"
#include "wire/tokens.h"

namespace koya {

// Each opens the catalog that the settings name, and blocks. Fails: as the API call of the same
// name, and kUnavailable while a server runs on the folder.
Result<wire::Token> CreateTokenOffline(const Settings& settings, const wire::TokenRequest& request);
Result<std::vector<wire::Token>> ListTokensOffline(const Settings& settings);
Status RevokeTokenOffline(const Settings& settings, const std::string& name);

}  // namespace koya
