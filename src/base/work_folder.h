// A folder for one piece of work, which goes with the object that owns it. Several processes may
// have theirs in one parent: a lock tells those at work from what a killed process left behind.
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
  // Removes the folder and all that is in it.
  ~WorkFolder();

  const std::filesystem::path& path() const { return path_; }

  // Removes the folders in `parent` that no process has at work.
  static void RemoveLeftovers(const std::filesystem::path& parent);

 private:
  WorkFolder(UniqueFd lock, std::filesystem::path path)
      : lock_(std::move(lock)), path_(std::move(path)) {}

  // Of the file beside the folder, which is there before the folder and after it.
  UniqueFd lock_;
  std::filesystem::path path_;
};

}  // namespace koya
