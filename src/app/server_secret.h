// Loads the server's secret, which seals keys at rest.
#pragma once

#include <string>

#include "app/settings.h"
#include "base/result.h"

namespace koya {

// Returns server.secret, or the content of server.secret_file (surrounding white space is ignored),
// or of the file server.secret in the data folder. Creates a missing file with 256 random bits,
// readable by its owner only; servers that start with it at the same time agree on one. Blocks.
// Fails: kInvalid (a file that is empty, too short or cannot be read), kStorageFull, kInternal.
Result<std::string> LoadServerSecret(const Settings& settings);

// Where the secret comes from, for display: "server.secret", or the file.
std::string SecretPlace(const Settings& settings);

}  // namespace koya
