// Request bodies as the layers below read them.
#pragma once

#include <string>

#include "base/byte_source.h"
#include "http/message.h"

namespace koya::api {

// What ReadSmallBody takes at most: JSON requests are small.
inline constexpr std::uint64_t kSmallBody = 64 * 1024;
// Armored keys with many certifications are larger.
inline constexpr std::uint64_t kKeyBody = 256 * 1024;

// An upload, handed to a use case that knows nothing of HTTP.
class BodySource final : public ByteSource {
 public:
  explicit BodySource(http::BodyReader& body) : body_(body) {}
  Task<std::span<const std::byte>> Read() override { return body_.Read(); }

 private:
  http::BodyReader& body_;
};

// The whole body. Fails: kTooLarge over `most` bytes, and as the reader.
Task<std::string> ReadSmallBody(http::BodyReader& body, std::uint64_t most = kSmallBody);

}  // namespace koya::api
