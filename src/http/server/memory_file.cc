#include "http/server/memory_file.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

namespace koya::http {
namespace {

bool DescriptorsArePlentiful(int newest) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  return static_cast<rlim_t>(newest) < limit.rlim_cur / 4;
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::shared_ptr<const MemoryFile> MemoryFile::Make(std::string_view first,
                                                   std::string_view second) {
  UniqueFd fd(memfd_create("koya-document", MFD_CLOEXEC));
  if (!fd.valid() || !DescriptorsArePlentiful(fd.get())) return nullptr;
  if (!WriteAll(fd.get(), first) || !WriteAll(fd.get(), second)) return nullptr;
  return std::make_shared<const MemoryFile>(std::move(fd));
}

}  // namespace koya::http
