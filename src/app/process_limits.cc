#include "app/process_limits.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <nss.h>
#include <openssl/provider.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "base/file.h"

namespace koya {

void RaiseDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t DescriptorLimit() {
  constexpr std::size_t kUsual = 1024;
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : kUsual;
}

DescriptorBudget DescriptorBudget::Of(std::size_t limit) {
  constexpr std::size_t kMostFiles = 4096;
  return {.files = std::min(limit / 8, kMostFiles),
          .connections = std::max<std::size_t>(limit / 2, 1)};
}

namespace {

// Less free memory than this is soon used again, and would only be requested from the system again.
constexpr std::size_t kMuch = 48U << 20U;

// Blocks of this size and more are the system's; smaller ones are soon used again.
constexpr int kLargeBlock = 2 << 20;
constexpr int kEndOfHeap = 4 << 20;

}  // namespace

void KeepHeapsShort() {
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  ::mallopt(M_TRIM_THRESHOLD, kEndOfHeap);
}

void GiveBackFreeMemory() {
  if (::mallinfo2().fordblks >= kMuch) ::malloc_trim(0);
}

void NotifyServiceManager(std::string_view state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t size = path == nullptr ? 0 : std::strlen(path);
  if (size == 0 || size >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path, size);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // of the abstract namespace
  UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size);
  // Without effect when the manager has gone: the server runs on.
  (void)::sendto(fd.get(), state.data(), state.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address), length);
}

const std::filesystem::path& ReleaseTree() {
  static const std::filesystem::path kTree = [] {
    Dl_info library{};
    // The path that the loader has found libc at: it needs no /proc.
    if (::dladdr(reinterpret_cast<const void*>(&::gnu_get_libc_version), &library) == 0) {
      return std::filesystem::path();
    }
    std::filesystem::path tree =
        std::filesystem::path(library.dli_fname).parent_path().parent_path();
    std::error_code error;
    bool is_tree = std::filesystem::exists(tree / "share/koya/manifest", error);
    return is_tree ? tree : std::filesystem::path();
  }();
  return kTree;
}

void EnterReleaseTree() {
  if (ReleaseTree().empty()) return;
  ::prctl(PR_SET_NAME, "koya");  // threads inherit it
  for (const char* database : {"hosts", "passwd", "group", "services", "protocols", "networks"}) {
    ::__nss_configure_lookup(database,
                             std::string_view(database) == "hosts" ? "files dns" : "files");
  }
  OSSL_PROVIDER_set_default_search_path(nullptr, (ReleaseTree() / "lib/ossl-modules").c_str());
}

}  // namespace koya
