#include "app/release_tree.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <nss.h>
#include <openssl/provider.h>
#include <sys/prctl.h>

#include <string_view>
#include <system_error>

namespace koya {

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
