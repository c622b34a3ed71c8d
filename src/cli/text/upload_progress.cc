#include "cli/text/upload_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace koya::cli {
namespace {

constexpr std::chrono::milliseconds kQuiet{1000};
constexpr std::chrono::milliseconds kBetween{200};
constexpr std::size_t kColumns = 79;
constexpr double kMiB = 1024.0 * 1024.0;

}  // namespace

std::string ProgressLine(std::uint64_t sent, std::uint64_t total, std::chrono::milliseconds since) {
  sent = std::min(sent, total);
  auto percent =
      total == 0
          ? 100
          : static_cast<unsigned>(100.0 * static_cast<double>(sent) / static_cast<double>(total));
  if (sent == total) return "sent; the server is checking it";
  double seconds = std::max(0.001, static_cast<double>(since.count()) / 1000.0);
  return fmt::format("{:3}%  {:.1f} of {:.1f} MiB  {:.1f} MiB/s", percent,
                     static_cast<double>(sent) / kMiB, static_cast<double>(total) / kMiB,
                     static_cast<double>(sent) / kMiB / seconds);
}

ProgressBar::ProgressBar(std::ostream& stream, std::uint64_t total, bool is_terminal,
                         std::chrono::milliseconds pause)
    : stream_(stream),
      total_(total),
      is_terminal_(is_terminal),
      pause_(is_terminal ? kBetween : pause),
      started_(std::chrono::steady_clock::now()),
      next_(started_ + (is_terminal ? kQuiet : pause)) {}

ProgressBar::~ProgressBar() { Wipe(); }

void ProgressBar::Wipe() {
  if (drawn_ > 0) stream_ << '\r' << std::string(drawn_, ' ') << '\r' << std::flush;
  drawn_ = 0;
}

void ProgressBar::Show(std::uint64_t sent, std::string_view detail) {
  auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + pause_;
  std::string line = ProgressLine(
      sent, total_, std::chrono::duration_cast<std::chrono::milliseconds>(now - started_));
  if (!detail.empty() && line.size() + 2 < kColumns) {
    line += "  " + Printable(detail, kColumns - line.size() - 2);
  }
  if (!is_terminal_) {
    stream_ << "koya: " << line << std::endl;
    return;
  }
  std::size_t length = line.size();
  line.append(drawn_ > length ? drawn_ - length : 0, ' ');
  stream_ << '\r' << line << std::flush;
  drawn_ = std::max(drawn_, length);
}

void UploadProgress::Begin(std::size_t worker, std::string label) {
  std::lock_guard lock(mutex_);
  if (slots_.size() <= worker) slots_.resize(worker + 1);
  slots_[worker] = {std::move(label), 0};
  Draw();
}

void UploadProgress::Show(std::size_t worker, std::uint64_t sent) {
  std::lock_guard lock(mutex_);
  slots_[worker].sent = sent;
  Draw();
}

void UploadProgress::Finish(std::size_t worker, std::uint64_t size) {
  std::lock_guard lock(mutex_);
  slots_[worker] = {};
  finished_ += size;
  Draw();
}

void UploadProgress::Aside(const std::function<void()>& say) {
  std::lock_guard lock(mutex_);
  bar_.Wipe();
  say();
}

void UploadProgress::Draw() {
  std::uint64_t sent = finished_;
  std::string labels;
  for (const Slot& slot : slots_) {
    sent += slot.sent;
    if (!slot.label.empty()) labels += (labels.empty() ? "" : ", ") + slot.label;
  }
  bar_.Show(sent, labels);
}

}  // namespace koya::cli
