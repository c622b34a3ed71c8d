#include "cli/text/upload_progress.h"

#include <utility>

namespace koya::cli {

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
