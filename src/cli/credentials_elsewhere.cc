#include "cli/credentials_elsewhere.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "clients/stored_credentials.h"
#include "hcl/config_folder.h"
#include "hcl/hcl.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;

// *.tfrc and *.tfrc.json of a folder are read as the main file is; JSON ones are the login's.
void AddFolder(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code ended;
  for (fs::directory_iterator each(folder, ended), end; !ended && each != end;
       each.increment(ended)) {
    if (each->path().extension() == ".tfrc") files.push_back(each->path());
  }
}

// What OpenTofu and Terraform read, as wire facts §1.6 and the clients' cliconfig have it.
std::vector<fs::path> ConfigurationFiles(const Variables& variables) {
  std::vector<fs::path> files;
  for (std::string_view name : {"TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG"}) {
    std::string named = Variable(variables, name);
    // It stands for all others.
    if (!named.empty()) return {named};
  }
  const fs::path home = Variable(variables, "HOME");
  const fs::path xdg = Variable(variables, "XDG_CONFIG_HOME");
  if (!home.empty()) {
    for (const char* name : {".tofurc", ".terraformrc"}) files.push_back(home / name);
    AddFolder(home / ".terraform.d", files);
  }
  if (!xdg.empty()) {
    files.push_back(xdg / "opentofu/tofurc");
    AddFolder(xdg / "opentofu", files);
  }
  return files;
}

std::optional<std::string> LookIn(const fs::path& file, std::string_view host) {
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) return std::nullopt;
  Result<std::string> text = hcl::ReadTextFile(file);
  if (!text) return std::nullopt;
  Result<hcl::Body> body = hcl::Parse(*text);
  if (!body) return std::nullopt;
  for (const hcl::Block& block : body->blocks) {
    bool own = block.type == "credentials" && !block.labels.empty() &&
               clients::CredentialHost(block.labels.front()) == host;
    if (own) return fmt::format("the credentials block at {}:{}", file.string(), block.range.line);
    if (block.type == "credentials_helper") {
      return fmt::format("the credentials helper that {}:{} names", file.string(),
                         block.range.line);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> CredentialsElsewhere(const Variables& variables, std::string_view host) {
  const std::string wanted = clients::CredentialHost(host);
  const auto kept = clients::CredentialsFromVariables(variables);
  auto found = std::ranges::find(kept, wanted, &clients::StoredCredential::host);
  if (found != kept.end()) return "the variable " + found->place;
  for (const fs::path& file : ConfigurationFiles(variables)) {
    if (auto place = LookIn(file, wanted)) return place;
  }
  return std::nullopt;
}

}  // namespace koya::cli
