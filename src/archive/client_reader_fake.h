// For tests and fuzzing: a second reader of archives, which behaves as the clients' does. Clients
// are Go programs that unpack modules and providers with Go's archive/tar, archive/zip and
// compress/gzip; the rules here reimplement the behaviour of those packages, sensible or not. Every
// archive that the product accepts must look exactly the same to this reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koya {

// What a client unpacks, in the archive's order.
struct ClientFile {
  std::string name;  // cleaned, as a path below the target: "a/main.tf"; "." is the target
  bool folder = false;
  std::string content{};
  friend bool operator==(const ClientFile&, const ClientFile&) = default;
};
using ClientFiles = std::vector<ClientFile>;

// Nothing when a client fails somewhere in the archive. Sparse files count as failure.
std::optional<std::string> ClientGunzip(std::string_view bytes);
std::optional<ClientFiles> ReadTarAsClient(std::string_view tar);
std::optional<ClientFiles> ReadTarGzAsClient(std::string_view bytes);
std::optional<ClientFiles> ReadZipAsClient(std::string_view bytes);

// A path with ".", "..", empty segments and slashes at its end resolved, as Go's path.Clean does.
std::string CleanClientPath(std::string_view path);

}  // namespace koya
