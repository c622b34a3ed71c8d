// ProgressBar shows the progress of an upload on one line of a terminal. It appears once the upload
// has taken a second, so that short ones leave no trace, and is erased at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace koya::cli {

// "  47%  235.2 of 500.0 MiB  38.1 MiB/s"; pure.
std::string ProgressLine(std::uint64_t sent, std::uint64_t total, std::chrono::milliseconds since);

class ProgressBar {
 public:
  // Draws on `stream` when `visible`; `stream` must outlive the bar.
  ProgressBar(std::ostream& stream, std::uint64_t total, bool visible);
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
  bool visible_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point next_;
  std::size_t drawn_ = 0;  // length of the line on the terminal
};

}  // namespace koya::cli
