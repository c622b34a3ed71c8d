#include "app/server_secret.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <cstddef>
#include <string_view>

#include "app/private_file.h"
#include "base/encoding.h"

namespace koya {
namespace {

constexpr std::size_t kShortestSecret = 16;

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// Another server that starts with the same file at this moment may be quicker: its secret counts.
Status MakeSecretFile(const std::filesystem::path& path) {
  if (sodium_init() < 0) {
    return Fail(ErrorKind::kInternal, "this machine provides no random numbers", "sodium_init");
  }
  std::array<std::byte, 32> random{};
  randombytes_buf(random.data(), random.size());
  Status written = WriteFileOnce(path, Base64UrlEncode(random) + "\n", 0600);
  if (written) return {};
  return Fail(written.error().kind,
              fmt::format("the secret file {} cannot be created: let this user write there, or "
                          "name another file with server.secret_file",
                          path.string()),
              written.error().detail);
}

std::filesystem::path SecretFile(const Settings& settings) {
  const std::filesystem::path& named = settings.server.secret_file;
  return named.empty() ? settings.server.data / "server.secret" : named;
}

}  // namespace

std::string SecretPlace(const Settings& settings) {
  return settings.server.secret.empty() ? SecretFile(settings).string() : "server.secret";
}

Result<std::string> LoadServerSecret(const Settings& settings) {
  if (!settings.server.secret.empty()) return settings.server.secret;
  std::filesystem::path path = SecretFile(settings);
  std::error_code missing;
  if (!std::filesystem::exists(path, missing) && !missing) {
    RETURN_IF_ERROR(MakeSecretFile(path));
  }
  Result<std::string> text = ReadSmallFile(path);
  if (!text) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("the secret file {} cannot be read: let this user read it, or name "
                            "another file with server.secret_file",
                            path.string()),
                text.error().detail);
  }
  std::string_view secret = Trim(*text);
  if (secret.size() < kShortestSecret) {
    return FailInvalid(
        "the secret file {} holds fewer than {} characters: restore the secret "
        "that sealed this server's keys; only if there is none, remove the "
        "file, and the server creates a new one",
        path.string(), kShortestSecret);
  }
  return std::string(secret);
}

}  // namespace koya
