// A folder for one piece of work, removed with the object that owns it. Several processes may have
// theirs in one parent: a lock separates folders in use from those that a killed process left.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace koya {

class WorkFolder {
 public:
  // A new, empty folder in `parent`, which exists; its name begins with `name`. Fails:
  // kStorageFull, kInternal.
  static Result<WorkFolder> Create(const std::filesystem::path& parent, std::string_view name);
  WorkFolder(WorkFolder&&) noexcept = default;
  WorkFolder& operator=(WorkFolder&&) = delete;
  // Removes the folder with its contents.
  ~WorkFolder();

  const std::filesystem::path& path() const { return path_; }

  // Removes the folders in `parent` that no process is using.
  static void RemoveLeftovers(const std::filesystem::path& parent);

 private:
  WorkFolder(UniqueFd lock, std::filesystem::path path)
      : lock_(std::move(lock)), path_(std::move(path)) {}

  // On the lock file beside the folder, which is created before the folder and removed after it.
  UniqueFd lock_;
  std::filesystem::path path_;
};

}  // namespace koya
