// Publishes one package as a version of a module, and prints the outcome. One thread.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/api/registry_client.h"
#include "cli/package.h"
#include "cli/text/output.h"
#include "domain/module_address.h"
#include "domain/version.h"
#include "wire/modules.h"

namespace CLI {
class App;
}

namespace koya::cli {

struct PackagePublish {
  const ModuleAddress& address;
  const Version& version;
  const Package& package;
  std::string subfolder = {};  // of the module in the package; "": the package says
  bool dry_run = false;
  std::string source_url = {};  // of its repository; "": not stated
};

// Sends the package, once more if the server could not say whether it stored it, and prints the
// outcome, but no document. A dry run that would be rejected has a `refusal`. Fails: as
// RegistryClient::Publish; kRefused: the server knows no dry runs, and has published it.
Result<wire::PublishedModule> PublishPackage(RegistryClient& client, const PackagePublish& publish,
                                             Output& output);

// ---- the flag --source-url of the commands that publish

// `url` receives the flag's value, and must outlive the command.
void AddSourceFlag(CLI::App& command, std::string& url);

// The URL without user information, which stays on this machine; "" of "". Fails: kInvalid.
Result<std::string> CheckedSource(const std::string& url);

// A checked URL with a folder of the repository behind it. The URL alone if it is "", or if the
// folder's name cannot be in it.
std::string SourceOfFolder(const std::string& url, const std::string& folder);

}  // namespace koya::cli
