// For tests: a text that arrives in pieces.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/byte_source.h"

namespace koya {

class TextSource final : public ByteSource {
 public:
  static constexpr std::size_t kPiece = 1000;

  // After the text comes its end, or a failure.
  explicit TextSource(std::string text, std::optional<Error> end = {})
      : text_(std::move(text)), end_(std::move(end)) {}

  Task<std::span<const std::byte>> Read() override {
    auto piece = std::as_bytes(std::span(text_)).subspan(offset_);
    if (piece.empty() && end_) co_return std::unexpected(*end_);
    piece = piece.first(std::min(piece.size(), kPiece));
    offset_ += piece.size();
    co_return piece;
  }

 private:
  std::string text_;
  std::optional<Error> end_;
  std::size_t offset_ = 0;
};

}  // namespace koya
