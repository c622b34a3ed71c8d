#include "http/server/chunked_decoder.h"

#include <algorithm>

#include "base/encoding.h"
#include "http/server/characters.h"

namespace koya::http {
namespace {

constexpr unsigned kMaxDigits = 15;
constexpr std::size_t kMaxExtension = 256;
constexpr std::size_t kMaxTrailers = 4096;

}  // namespace

bool ChunkedDecoder::Go(State next) {
  state_ = next;
  return true;
}

bool ChunkedDecoder::TakeSize(char c) {
  if (int digit = HexDigit(c); digit >= 0) {
    if (++digits_ > kMaxDigits) return false;
    left_ = left_ * 16 + static_cast<unsigned>(digit);
    return Go(State::kSize);
  }
  if (digits_ == 0) return false;
  if (c == '\r') return Go(State::kSizeLf);
  return c == ';' && Go(State::kExtension);
}

bool ChunkedDecoder::TakeTrailer(char c) {
  if (++skipped_ > kMaxTrailers) return false;
  switch (state_) {
    case State::kTrailerStart:
      if (c == '\r') return Go(State::kEndLf);
      return IsToken(c) && Go(State::kTrailer);
    case State::kTrailer:
      if (c == '\r') return Go(State::kTrailerLf);
      return IsValue(c);
    case State::kTrailerLf:
      return c == '\n' && Go(State::kTrailerStart);
    default:
      return c == '\n' && Go(State::kFinished);
  }
}

bool ChunkedDecoder::TakeFraming(char c) {
  switch (state_) {
    case State::kSizeStart:
    case State::kSize:
      return TakeSize(c);
    case State::kExtension:
      if (c == '\r') return Go(State::kSizeLf);
      return IsValue(c) && ++skipped_ <= kMaxExtension;
    case State::kSizeLf:
      skipped_ = 0;
      digits_ = 0;
      return c == '\n' && Go(left_ == 0 ? State::kTrailerStart : State::kData);
    case State::kDataCr:
      return c == '\r' && Go(State::kDataLf);
    case State::kDataLf:
      return c == '\n' && Go(State::kSizeStart);
    default:
      return TakeTrailer(c);
  }
}

ChunkedDecoder::Step ChunkedDecoder::Decode(std::string_view input) {
  Step step;
  while (step.consumed < input.size() && state_ != State::kFinished) {
    if (state_ == State::kData) {
      step.data = input.substr(step.consumed, left_);
      step.consumed += step.data.size();
      left_ -= step.data.size();
      if (left_ == 0) state_ = State::kDataCr;
      return step;
    }
    if (!TakeFraming(input[step.consumed++])) {
      step.malformed = true;
      return step;
    }
  }
  step.finished = state_ == State::kFinished;
  return step;
}

}  // namespace koya::http
