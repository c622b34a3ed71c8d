#include "base/work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace koya {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLockSuffix = ".lock";
constexpr int kAttempts = 8;

fs::path LockOf(const fs::path& folder) { return folder.string() + std::string(kLockSuffix); }

// The lock must be on a file that still has its name: RemoveLeftovers of another process may have
// come between the file's making and its lock.
bool Lock(int file) {
  struct stat status{};
  return ::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &status) == 0 &&
         status.st_nlink > 0;
}

// While the lock is held.
void Remove(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::remove(LockOf(folder), ignored);
}

}  // namespace

Result<WorkFolder> WorkFolder::Create(const fs::path& parent, std::string_view name) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string file = (parent / name).string() + "-XXXXXX" + std::string(kLockSuffix);
    UniqueFd lock(::mkostemps(file.data(), static_cast<int>(kLockSuffix.size()), O_CLOEXEC));
    if (!lock.valid()) return Failure(ErrnoError("create " + file, errno));
    if (!Lock(lock.get())) continue;
    fs::path folder = file.substr(0, file.size() - kLockSuffix.size());
    if (::mkdir(folder.c_str(), 0700) == 0) return WorkFolder(std::move(lock), std::move(folder));
    Failure failed(ErrnoError("mkdir " + folder.string(), errno));
    ::unlink(file.c_str());
    return failed;
  }
  return Failure(ErrnoError("lock a folder in " + parent.string(), EAGAIN));
}

WorkFolder::~WorkFolder() {
  if (lock_.valid()) Remove(path_);
}

void WorkFolder::RemoveLeftovers(const fs::path& parent) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    fs::path path = entry.path();
    if (path.extension() == kLockSuffix) {
      UniqueFd lock(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
      if (lock.valid() && Lock(lock.get())) Remove(path.replace_extension());
    } else if (entry.is_directory(ignored) && !fs::exists(LockOf(path), ignored)) {
      fs::remove_all(path, ignored);  // of a version that made no locks
    }
  }
}

}  // namespace koya
