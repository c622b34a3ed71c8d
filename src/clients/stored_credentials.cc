#include "clients/stored_credentials.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/file_io.h"
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

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::string_view kFileName = "credentials.tfrc.json";
constexpr std::size_t kLargestFile = 4 << 20;

std::string SettingOf(const Variables& variables, std::string_view name) {
  auto found = std::ranges::find(variables, name, &Variables::value_type::first);
  return found == variables.end() ? std::string() : found->second;
}

Failure FileTrouble(std::string_view what, const fs::path& file, int error_number) {
  return Fail(error_number == ENOSPC || error_number == EDQUOT ? ErrorKind::kStorageFull
                                                               : ErrorKind::kInvalid,
              fmt::format("cannot {} {}: {}", what, file.string(),
                          std::error_code(error_number, std::generic_category()).message()));
}

// An empty object where there is no file yet.
Result<json::object> ReadCredentials(const fs::path& file) {
  std::error_code unknown;
  if (!fs::exists(file, unknown) && !unknown) return json::object();
  std::ifstream stream(file, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (!stream.eof() || stream.bad()) {
    return FailInvalid("{} cannot be read: check its owner, mode and size", file.string());
  }
  boost::system::error_code failed;
  json::value document = json::parse(text, failed);
  if (failed || !document.is_object()) {
    return FailInvalid("{} is not a JSON object: fix it, or remove it", file.string());
  }
  const json::value* hosts = document.as_object().if_contains("credentials");
  if (hosts != nullptr && !hosts->is_object()) {
    return FailInvalid("{}: \"credentials\" is not an object: fix it, or remove the file",
                       file.string());
  }
  return std::move(document.as_object());
}

// Removes every spelling of `host`; false: there was none.
bool RemoveHost(json::object& hosts, std::string_view host) {
  const std::string wanted = CredentialHost(host);
  std::vector<std::string> spellings;
  for (const auto& [name, entry] : hosts) {
    if (CredentialHost({name.data(), name.size()}) == wanted) spellings.emplace_back(name);
  }
  for (const std::string& each : spellings) hosts.erase(each);
  return !spellings.empty();
}

// Clients write host names in the user's script, and read every spelling.
std::string WrittenHost(std::string_view host) {
  Result<HostName> name = HostName::ParseWire(host);
  return name ? name->display() : CredentialHost(host);
}

Status MakeFolder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder.parent_path(), failed);
  if (failed) return FileTrouble("create the folder", folder.parent_path(), failed.value());
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return FileTrouble("create the folder", folder, errno);
}

Status FillFile(int descriptor, const fs::path& file, std::string_view text) {
  if (int failed = WriteAll(descriptor, std::as_bytes(std::span(text))); failed != 0) {
    return FileTrouble("write", file, failed);
  }
  if (::fsync(descriptor) != 0) return FileTrouble("write", file, errno);
  return {};
}

// A file that a link leads to is replaced where it lies: the link stays.
fs::path BehindLinks(const fs::path& file) {
  std::error_code unknown;
  fs::path target = fs::canonical(file, unknown);
  return unknown ? file : target;
}

Status ReplaceFile(const fs::path& named, std::string_view text) {
  const fs::path file = BehindLinks(named);
  RETURN_IF_ERROR(MakeFolder(file.parent_path()));
  std::string fresh = file.string() + ".XXXXXX";
  UniqueFd descriptor(::mkostemp(fresh.data(), O_CLOEXEC));  // with mode 0600
  if (!descriptor.valid()) return FileTrouble("write beside", file, errno);
  ScopeGuard remove([&fresh] { ::unlink(fresh.c_str()); });
  RETURN_IF_ERROR(FillFile(descriptor.get(), file, text));
  if (::rename(fresh.c_str(), file.c_str()) != 0) return FileTrouble("replace", file, errno);
  remove.Dismiss();
  return {};
}

Status WriteCredentials(const fs::path& file, const json::object& document) {
  return ReplaceFile(file, json::serialize(document) + "\n");
}

}  // namespace

Result<fs::path> WrittenCredentialsFile(const Variables& variables) {
  const fs::path home = SettingOf(variables, "HOME");
  if (home.empty()) {
    return FailInvalid("HOME is not set, so there is no place to store a token: set it");
  }
  const fs::path folder = home / ".terraform.d";
  const fs::path xdg = SettingOf(variables, "XDG_CONFIG_HOME");
  std::error_code unknown;
  if (!xdg.empty() && !fs::exists(folder, unknown)) return xdg / "opentofu" / kFileName;
  return folder / kFileName;
}

Status KeepCredential(const fs::path& file, std::string_view host, std::string_view token) {
  ASSIGN_OR_RETURN(json::object document, ReadCredentials(file));
  json::value& hosts = document["credentials"];
  if (!hosts.is_object()) hosts = json::object();
  RemoveHost(hosts.as_object(), host);
  hosts.as_object()[WrittenHost(host)] = {{"token", token}};
  return WriteCredentials(file, document);
}

Result<bool> ForgetCredential(const fs::path& file, std::string_view host) {
  ASSIGN_OR_RETURN(json::object document, ReadCredentials(file));
  json::value* hosts = document.if_contains("credentials");
  if (hosts == nullptr || !RemoveHost(hosts->as_object(), host)) return false;
  RETURN_IF_ERROR(WriteCredentials(file, document));
  return true;
}

}  // namespace koya::clients
