// The flag --source-url of the commands that publish. Pure functions.
#pragma once

#include <string>

#include "base/result.h"

namespace CLI {
class App;
}

namespace koya::cli {

// `url` receives the flag's value, and must outlive the command.
void AddSourceFlag(CLI::App& command, std::string& url);

// The URL without user information, which stays on this machine; "" of "". Fails: kInvalid.
Result<std::string> CheckedSource(const std::string& url);

// A checked URL with a folder of the repository behind it. The URL alone if it is "", or if the
// folder's name cannot be in it.
std::string SourceOfFolder(const std::string& url, const std::string& folder);

}  // namespace koya::cli
