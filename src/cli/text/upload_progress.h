// UploadProgress shows the progress of several uploads on one line of a terminal. Safe to call from
// any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "cli/text/progress_bar.h"

namespace koya::cli {

class UploadProgress {
 public:
  // `total`: bytes of all files. Draws on `stream` when `visible`; `stream` must outlive this.
  UploadProgress(std::ostream& stream, std::uint64_t total, bool visible)
      : bar_(stream, total, visible) {}

  // A worker starts a file, reports the bytes sent so far, and finishes the file.
  void Begin(std::size_t worker, std::string label);
  void Show(std::size_t worker, std::uint64_t sent);
  void Finish(std::size_t worker, std::uint64_t size);
  // Calls `say`, which writes lines of its own: during the call the line is erased, and not drawn.
  void Aside(const std::function<void()>& say);

 private:
  struct Slot {
    std::string label;  // "" when the worker has no file
    std::uint64_t sent = 0;
  };
  void Draw();  // REQUIRES: mutex_ is held

  std::mutex mutex_;
  std::vector<Slot> slots_;     // by worker
  std::uint64_t finished_ = 0;  // bytes of finished files
  ProgressBar bar_;
};

}  // namespace koya::cli
