// Shows the progress of uploads: on one line of a terminal, or in a pipe as a line now and then.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace koya::cli {

// "  47%  235.2 of 500.0 MiB  38.1 MiB/s"; pure.
std::string ProgressLine(std::uint64_t sent, std::uint64_t total, std::chrono::milliseconds since);

// At a terminal: appears once an upload has taken a second, so that short ones leave no trace, and
// is erased at the end. In a pipe: prints a line each `pause`, from then on.
class ProgressBar {
 public:
  static constexpr std::chrono::milliseconds kPause{10'000};

  // `stream` must outlive the bar.
  ProgressBar(std::ostream& stream, std::uint64_t total, bool is_terminal,
              std::chrono::milliseconds pause = kPause);
  ~ProgressBar();  // erases the line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `detail` follows the numbers, as far as an ordinary terminal has room.
  void Show(std::uint64_t sent, std::string_view detail = {});
  // Erases the line until the next Show().
  void Wipe();

 private:
  std::ostream& stream_;
  std::uint64_t total_;
  bool is_terminal_;
  std::chrono::milliseconds pause_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point next_;
  std::size_t drawn_ = 0;  // length of the line on the terminal
};

// The progress of several uploads. Safe to call from any thread.
class UploadProgress {
 public:
  // `total`: bytes of all files. `stream` must outlive this.
  UploadProgress(std::ostream& stream, std::uint64_t total, bool is_terminal)
      : bar_(stream, total, is_terminal) {}

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
