// The bytes that a connection has received and not used yet, in one contiguous piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace koya::http {

class InputBuffer {
 public:
  // Small enough that idle connections cost little, large enough for nearly every head.
  static constexpr std::size_t kRestSize = 2048;

  std::string_view unread() const { return {data_.get() + begin_, end_ - begin_}; }
  void Consume(std::size_t count) { begin_ += count; }

  // Returns free space after the unread bytes; grows the buffer to at most `most` bytes for it.
  // Empty when that many bytes are unread already. Moves the unread bytes, which invalidates views.
  std::span<char> Space(std::size_t most) {
    if (begin_ > 0) Compact();
    if (end_ == capacity_ && capacity_ < most) Resize(std::max(kRestSize, capacity_ * 2));
    return {data_.get() + end_, capacity_ - end_};
  }
  void Arrived(std::size_t count) { end_ += count; }

  // Replaces the content. REQUIRES: nothing is unread.
  void Assign(std::string_view bytes) {
    begin_ = end_ = 0;
    if (bytes.size() > capacity_) Resize(bytes.size());
    std::memcpy(data_.get(), bytes.data(), bytes.size());
    end_ = bytes.size();
  }

  // Releases memory that a large request needed. REQUIRES: nothing is unread.
  void Rest() {
    begin_ = end_ = 0;
    if (capacity_ > kRestSize) Resize(kRestSize);
  }

 private:
  void Compact() {
    std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  void Resize(std::size_t capacity) {
    auto data = std::make_unique_for_overwrite<char[]>(capacity);
    if (end_ > 0) std::memcpy(data.get(), data_.get(), end_);
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace koya::http
