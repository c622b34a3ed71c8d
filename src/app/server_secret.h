// The server's secret: what seals keys at rest.
#pragma once

#include <string>

#include "app/settings.h"
#include "base/result.h"

namespace koya {

// server.secret; or what server.secret_file holds (white space around it does not count); or the
// file server.secret in the data folder. A file that is absent is made, readable by its owner only,
// with 256 random bits; servers that start with it at once agree on one. Blocks. Fails: kInvalid (a
// file that is empty, too short or cannot be read), kStorageFull, kInternal.
Result<std::string> LoadServerSecret(const Settings& settings);

// Where it comes from, for people: "server.secret", or the file.
std::string SecretPlace(const Settings& settings);

}  // namespace koya
