#include "clients/stored_credentials.h"

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <optional>
#include <system_error>

#include "base/text.h"
#include "domain/host_name.h"

namespace koya::clients {
namespace {

constexpr std::string_view kVariablePrefix = "TF_TOKEN_";

// No such file is a hundredth of this.
constexpr std::size_t kMaxFile = 4 << 20;

// "my__host_example_com" → "my-host.example.com".
std::string HostOfVariable(std::string_view name) {
  std::string host;
  while (!name.empty()) {
    bool dash = name.starts_with("__");
    host += dash ? '-' : name.front() == '_' ? '.' : name.front();
    name.remove_prefix(dash ? 2 : 1);
  }
  return host;
}

std::string ValueOf(const Variables& variables, std::string_view name) {
  auto found = std::ranges::find(variables, name, &Variables::value_type::first);
  return found == variables.end() ? std::string() : found->second;
}

std::optional<std::string> ReadSmallFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string body(kMaxFile + 1, '\0');
  file.read(body.data(), static_cast<std::streamsize>(body.size()));
  body.resize(static_cast<std::size_t>(file.gcount()));
  bool whole = file.eof() && !file.bad() && body.size() <= kMaxFile;
  return whole ? std::optional(std::move(body)) : std::nullopt;
}

}  // namespace

std::string CredentialHost(std::string_view host) {
  if (auto name = HostName::ParseWire(host)) return name->ascii();
  std::string lower = AsciiLower(host);
  std::size_t colon = lower.rfind(':');
  if (colon == lower.npos || lower.back() == ']') return lower;
  std::string port = lower.substr(colon + 1);
  port.erase(0, std::min(port.find_first_not_of('0'), port.size()));
  lower.resize(colon);
  return port.empty() || port == "443" ? lower : lower + ":" + port;
}

std::vector<StoredCredential> CredentialsFromVariables(const Variables& variables) {
  std::vector<StoredCredential> kept;
  for (const auto& [name, value] : variables) {
    if (!name.starts_with(kVariablePrefix) || value.empty()) continue;
    std::string_view rest = std::string_view(name).substr(kVariablePrefix.size());
    if (rest.empty()) continue;
    std::string host = CredentialHost(HostOfVariable(rest));
    // Of several names for one host the clients take the last in the environment.
    std::erase_if(kept, [&](const StoredCredential& each) { return each.host == host; });
    kept.push_back({std::move(host), value, name});
  }
  return kept;
}

Result<std::vector<StoredCredential>> CredentialsFromFile(std::string_view body,
                                                          const std::string& place) {
  boost::system::error_code failed;
  boost::json::value document = boost::json::parse({body.data(), body.size()}, failed);
  if (failed || !document.is_object()) {
    return FailInvalid(
        "{} is not a JSON object: fix it, or remove it and log in again (\"tofu login HOST\")",
        place);
  }
  std::vector<StoredCredential> kept;
  const boost::json::value* credentials = document.as_object().if_contains("credentials");
  if (credentials == nullptr || !credentials->is_object()) return kept;
  for (const auto& [host, entry] : credentials->as_object()) {
    const boost::json::value* token =
        entry.is_object() ? entry.as_object().if_contains("token") : nullptr;
    if (token == nullptr || !token->is_string() || token->as_string().empty()) continue;
    kept.push_back({CredentialHost({host.data(), host.size()}),
                    std::string(token->as_string().data(), token->as_string().size()), place});
  }
  return kept;
}

std::vector<std::filesystem::path> CredentialFiles(const Variables& variables) {
  constexpr std::string_view kName = "credentials.tfrc.json";
  std::vector<std::filesystem::path> files;
  std::filesystem::path home = ValueOf(variables, "HOME");
  if (!home.empty()) files.push_back(home / ".terraform.d" / kName);
  std::filesystem::path xdg = ValueOf(variables, "XDG_CONFIG_HOME");
  if (xdg.empty() && !home.empty()) xdg = home / ".config";
  if (!xdg.empty()) files.push_back(xdg / "opentofu" / kName);
  return files;
}

Result<std::vector<StoredCredential>> ReadKeptCredentials(const Variables& variables) {
  std::vector<StoredCredential> kept = CredentialsFromVariables(variables);
  for (const std::filesystem::path& path : CredentialFiles(variables)) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) continue;
    auto body = ReadSmallFile(path);
    if (!body) {
      return FailInvalid("{} cannot be read: check its owner, mode and size", path.string());
    }
    ASSIGN_OR_RETURN(auto found, CredentialsFromFile(*body, path.string()));
    kept.insert(kept.end(), found.begin(), found.end());
  }
  return kept;
}

}  // namespace koya::clients
