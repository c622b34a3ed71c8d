// For tests: a bare repository, and how a scripted server answers for it, by `git http-backend`.
// Also files and folders that go with the test.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/temp_folder_fake.h"
#include "http/scripted_server_fake.h"

namespace koya::upstream {

// What a program wrote; a test failure when it fails.
std::string Output(const std::string& shell_command);

class FakeRepository {
 public:
  FakeRepository();

  // One file of the next commit: "100644", "100755", "120000" (a link to `data`).
  FakeRepository& File(std::string_view path, std::string_view data,
                       std::string_view mode = "100644");
  FakeRepository& Submodule(std::string_view path);
  // The files since the last commit, alone, under "refs/heads/main" and `ref`: the commit's id. It
  // has no history, or that of the last commit.
  enum class History { kNone, kKept };
  std::string Commit(std::string_view ref, History history = History::kNone);

  // A commit under `ref` with a file of `times` 16 MiB of zeros, for which its pack needs 16 KB:
  // the file is a delta that copies all of another one again and again.
  void CommitExploding(std::string_view ref, std::size_t times);

  std::filesystem::path path() const { return folder_.path() / "r.git"; }
  // To requests below "/r.git".
  http::ScriptedAnswer Answer(const http::ScriptedRequest& request) const;

 private:
  TempFolder folder_;
  std::string stream_;
};

}  // namespace koya::upstream
