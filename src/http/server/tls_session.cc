#include "http/server/tls_session.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace koya::http {

// The callbacks through which OpenSSL reaches the session's buffers.
struct TlsBio {
  static int Read(bio_st* bio, char* data, std::size_t size, std::size_t* count) {
    auto& session = *static_cast<TlsSession*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    *count = std::min(size, session.input_end_ - session.input_begin_);
    if (*count == 0) {
      BIO_set_retry_read(bio);
      return 0;
    }
    std::memcpy(data, session.input_.get() + session.input_begin_, *count);
    session.input_begin_ += *count;
    return 1;
  }

  static int Write(bio_st* bio, const char* data, std::size_t size, std::size_t* count) {
    static_cast<TlsSession*>(BIO_get_data(bio))->output_.append(data, size);
    *count = size;
    return 1;
  }

  static long Control(bio_st*, int command, long, void*) { return command == BIO_CTRL_FLUSH; }

  static int Create(bio_st* bio) {
    BIO_set_init(bio, 1);
    return 1;
  }

  static BIO_METHOD* Make() {
    BIO_METHOD* method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "session");
    if (method == nullptr) throw std::bad_alloc();
    BIO_meth_set_read_ex(method, Read);
    BIO_meth_set_write_ex(method, Write);
    BIO_meth_set_ctrl(method, Control);
    BIO_meth_set_create(method, Create);
    return method;
  }
};

namespace {

// SSL_get_error() takes an old error of the thread for one of the session's. To look whether there
// is one costs a tenth of emptying the queue.
void ForgetErrors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

}  // namespace

TlsSession::TlsSession(ssl_ctx_st* context) : ssl_(SSL_new(context), SSL_free) {
  static BIO_METHOD* const method = TlsBio::Make();  // lives as long as the process
  bio_st* bio = ssl_ ? BIO_new(method) : nullptr;
  if (bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, this);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_accept_state(ssl_.get());
}

TlsSession::~TlsSession() = default;

TlsSession::Outcome TlsSession::ClassifyResult(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Outcome::kWantInput;
    case SSL_ERROR_ZERO_RETURN:
      return Outcome::kEnded;
    default:
      return Outcome::kFailed;
  }
}

TlsSession::Outcome TlsSession::Handshake() {
  ForgetErrors();
  int result = SSL_do_handshake(ssl_.get());
  return result == 1 ? Outcome::kDone : ClassifyResult(result);
}

bool TlsSession::is_http2() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return size == 2;  // "h2": the other name is longer
}

TlsSession::Outcome TlsSession::Read(std::span<char> into, std::size_t& count) {
  ForgetErrors();
  count = 0;
  int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &count);
  return result == 1 ? Outcome::kDone : ClassifyResult(result);
}

bool TlsSession::Write(std::string_view text) {
  ForgetErrors();
  while (!text.empty()) {
    std::size_t taken = 0;
    std::string_view record = text.substr(0, kRecord);
    if (SSL_write_ex(ssl_.get(), record.data(), record.size(), &taken) != 1) return false;
    text.remove_prefix(taken);
  }
  return true;
}

bool TlsSession::NeedsInput() const {
  return input_begin_ == input_end_ && SSL_has_pending(ssl_.get()) == 0 &&
         (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) == 0;
}

void TlsSession::Close() {
  ForgetErrors();
  if (SSL_is_init_finished(ssl_.get())) SSL_shutdown(ssl_.get());
}

std::span<char> TlsSession::InputSpace(std::size_t size) {
  if (input_capacity_ < size) {
    input_ = std::make_unique_for_overwrite<char[]>(size);
    input_capacity_ = size;
  }
  input_begin_ = input_end_ = 0;
  return {input_.get(), input_capacity_};
}

void TlsSession::InputArrived(std::size_t count) { input_end_ = count; }

void TlsSession::OutputSent(std::size_t count) {
  sent_ += count;
  if (sent_ < output_.size()) return;
  output_.clear();
  sent_ = 0;
}

void TlsSession::Rest() {
  constexpr std::size_t kKept = 2 * 1024;
  if (input_begin_ == input_end_ && input_capacity_ > kKept) {
    input_.reset();
    input_capacity_ = input_begin_ = input_end_ = 0;
  }
  if (output_.empty() && output_.capacity() > kKept) output_.shrink_to_fit();
}

}  // namespace koya::http
