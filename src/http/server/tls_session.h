// The state of one TLS connection, independent of any socket: ciphertext goes in and comes out
// through buffers, so that records are batched into few system calls. Belongs to one thread.
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
  static constexpr std::size_t kRecord = 16 * 1024;  // the maximum size of a record

  // Holds its own reference to `context`, so a reload does not affect this session.
  explicit TlsSession(ssl_ctx_st* context);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Call until kDone: feed input, send output. After kFailed the output may hold an alert.
  Outcome Handshake();
  Outcome Read(std::span<char> into, std::size_t& count);
  // Whether Read() needs input before it can return anything.
  bool NeedsInput() const;
  // Whether the peers chose HTTP/2 (ALPN "h2"). REQUIRES: the handshake is done.
  bool is_http2() const;
  // Encrypts all of `text` into the output. False: the session is broken.
  bool Write(std::string_view text);
  // Appends a close_notify to the output.
  void Close();

  // Space for the next ciphertext from the peer. REQUIRES: the last call asked for input.
  std::span<char> InputSpace(std::size_t size);
  void InputArrived(std::size_t count);

  std::string_view output() const { return std::string_view(output_).substr(sent_); }
  void OutputSent(std::size_t count);

  // Releases memory that a large transfer needed.
  void Rest();

 private:
  friend struct TlsBio;
  Outcome ClassifyResult(int result);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  std::unique_ptr<char[]> input_;
  std::size_t input_capacity_ = 0;
  std::size_t input_begin_ = 0;
  std::size_t input_end_ = 0;
  std::string output_;
  std::size_t sent_ = 0;
};

}  // namespace koya::http
