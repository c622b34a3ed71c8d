// One TLS connection's state, apart from any socket: ciphertext goes in and comes out through
// buffers, so that records are batched into few system calls. Belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;
struct bio_st;

namespace koya::http {

class TlsSession {
 public:
  enum class Outcome { kDone, kWantInput, kEnded, kFailed };
  static constexpr std::size_t kRecord = 16 * 1024;  // the most one record carries

  // Holds a reference on `context` of its own, so a reload leaves this session as it is.
  explicit TlsSession(ssl_ctx_st* context);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Until kDone: feed input, send output. After kFailed the output may hold an alert.
  Outcome Handshake();
  Outcome Read(std::span<char> into, std::size_t& count);
  // Encrypts all of `text` into the output. False: the session is broken.
  bool Write(std::string_view text);
  // Puts a close_notify into the output.
  void Close();

  // Where the next ciphertext from the peer goes. REQUIRES: the last call asked for input.
  std::span<char> InputSpace(std::size_t size);
  void InputArrived(std::size_t count);

  std::string_view output() const { return std::string_view(output_).substr(sent_); }
  void OutputSent(std::size_t count);

  // Gives back buffers that a large transfer made grow.
  void Rest();

 private:
  friend struct TlsBio;
  Outcome Judge(int result);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  std::unique_ptr<char[]> input_;
  std::size_t input_capacity_ = 0;
  std::size_t input_begin_ = 0;
  std::size_t input_end_ = 0;
  std::string output_;
  std::size_t sent_ = 0;
};

}  // namespace koya::http
