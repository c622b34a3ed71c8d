// Decodes the chunked transfer coding of a body (RFC 9112 §7.1), piece by piece.
//
// Strict: CRLF only, at most 15 hex digits, short extensions (skipped), short trailers (skipped).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace koya::http {

class ChunkedDecoder {
 public:
  struct Step {
    std::size_t consumed = 0;  // processed bytes of the input
    std::string_view data;     // the body bytes among them, a view into the input
    bool finished = false;     // the last chunk and the trailers have been read
    bool malformed = false;
  };
  // Decodes up to the end of one piece of data, of the body, or of the input. Call again with the
  // remaining input as long as bytes are consumed.
  Step Decode(std::string_view input);

 private:
  enum class State {
    kSizeStart,
    kSize,
    kExtension,
    kSizeLf,
    kData,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailer,
    kTrailerLf,
    kEndLf,
    kFinished,
  };
  bool TakeFraming(char c);
  bool TakeSize(char c);
  bool TakeTrailer(char c);
  bool Go(State next);

  State state_ = State::kSizeStart;
  std::uint64_t left_ = 0;  // in the chunk
  unsigned digits_ = 0;
  std::size_t skipped_ = 0;  // bytes of extensions of this chunk, or of trailers
};

}  // namespace koya::http
