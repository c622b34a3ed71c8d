#include "http/server/tls_context.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/handle.h"

namespace koya::http {
namespace {

// With their lengths in front, as on the wire; the first is preferred.
constexpr std::string_view kProtocols("\x02h2\x08http/1.1");
constexpr std::size_t kHttp2Size = 3;

// `http2`: null if it is not offered.
int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* offered, unsigned offered_size, void* http2) {
  const std::string_view protocols = kProtocols.substr(http2 != nullptr ? 0 : kHttp2Size);
  auto* mine = reinterpret_cast<const unsigned char*>(protocols.data());
  unsigned char* chosen = nullptr;
  int found = SSL_select_next_proto(&chosen, out_size, mine,
                                    static_cast<unsigned>(protocols.size()), offered, offered_size);
  if (found != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

Failure TlsFailure(std::string_view setting, const std::string& file, std::string_view advice) {
  std::array<char, 256> reason{};
  ERR_error_string_n(ERR_peek_last_error(), reason.data(), reason.size());
  ERR_clear_error();
  return Fail(ErrorKind::kInvalid,
              fmt::format("{} \"{}\" cannot be used: {}", setting, file, advice), reason.data());
}

void Configure(SSL_CTX* context, const TlsOptions& options) {
  SSL_CTX_set_min_proto_version(context, options.only_newest ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // AES with a key of 128 bits is as far out of reach and costs less; a client without
  // instructions for AES names ChaCha20 first, and gets it.
  SSL_CTX_set_ciphersuites(
      context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  // Tickets carry the sessions; a cache here would be a lock shared by all loops.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 1);
  // The context itself stands for "yes", since only whether there is a pointer counts.
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, options.http2 ? context : nullptr);
}

Status UseTexts(SSL_CTX* context, const TlsOptions& options) {
  Handle<BIO, BIO_free> certificate_text(
      BIO_new_mem_buf(options.certificate.data(), static_cast<int>(options.certificate.size())));
  Handle<BIO, BIO_free> key_text(
      BIO_new_mem_buf(options.key.data(), static_cast<int>(options.key.size())));
  Handle<X509, X509_free> certificate(
      PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr));
  Handle<EVP_PKEY, EVP_PKEY_free> key(
      PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
  if (!certificate || !key || SSL_CTX_use_certificate(context, certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return TlsFailure("the TLS certificate", "in memory", "it was not created correctly");
  }
  return {};
}

}  // namespace

Result<TlsContextHandle> LoadTlsContext(const TlsOptions& options) {
  ERR_clear_error();
  TlsContextHandle context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) return FailInternal("TLS cannot be set up");
  Configure(context.get(), options);
  if (!options.certificate.empty()) {
    RETURN_IF_ERROR(UseTexts(context.get(), options));
    return context;
  }
  if (SSL_CTX_use_certificate_chain_file(context.get(), options.certificate_file.c_str()) != 1) {
    return TlsFailure("the TLS certificate", options.certificate_file,
                      "it must be a readable PEM file with the server's certificate first");
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), options.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    const int reason = ERR_GET_REASON(ERR_peek_last_error());
    if (reason == X509_R_KEY_VALUES_MISMATCH || reason == X509_R_KEY_TYPE_MISMATCH) {
      return TlsFailure("the TLS key", options.key_file, "it does not belong to the certificate");
    }
    return TlsFailure("the TLS key", options.key_file,
                      "it must be a readable PEM file with the certificate's private key");
  }
  return context;
}

std::optional<CertificateValidity> ValidityOf(const TlsContextHandle& context) {
  const X509* certificate = SSL_CTX_get0_certificate(context.get());
  tm from{};
  tm until{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notBefore(certificate), &from) != 1 ||
      ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &until) != 1) {
    return std::nullopt;
  }
  return CertificateValidity{timegm(&from), timegm(&until)};
}

// Attributes that reveal a changed file, whether it was renamed into place or written over.
struct ReloadingTlsContext::FileState {
  struct One {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    friend bool operator==(const One&, const One&) = default;
  };
  One certificate;
  One key;
  friend bool operator==(const FileState&, const FileState&) = default;
};

ReloadingTlsContext::FileState ReloadingTlsContext::StatFiles(const TlsOptions& options) {
  auto look = [](const std::string& path) {
    struct stat info{};
    if (stat(path.c_str(), &info) != 0) return FileState::One{};
    return FileState::One{info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
                          info.st_mtim.tv_nsec};
  };
  return FileState{look(options.certificate_file), look(options.key_file)};
}

ReloadingTlsContext::ReloadingTlsContext(TlsOptions options, TlsContextHandle loaded,
                                         std::chrono::milliseconds interval,
                                         std::function<void(const Status&)> on_reload)
    : options_(std::move(options)),
      interval_(interval),
      on_reload_(std::move(on_reload)),
      context_(std::move(loaded)) {
  FileState seen = StatFiles(options_);
  watcher_ = std::jthread([this, seen](const std::stop_token& stop) { Watch(stop, seen); });
}

ReloadingTlsContext::~ReloadingTlsContext() = default;

TlsContextHandle ReloadingTlsContext::current() const {
  std::lock_guard lock(mutex_);
  return context_;
}

void ReloadingTlsContext::Watch(const std::stop_token& stop, FileState last) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, interval_, [] { return false; });
    }
    FileState now = StatFiles(options_);
    if (stop.stop_requested() || now == last) continue;
    last = now;
    auto loaded = LoadTlsContext(options_);
    if (loaded) {
      std::lock_guard lock(mutex_);
      context_ = *loaded;
    }
    on_reload_(loaded ? Status() : Status(std::unexpected(loaded.error())));
  }
}

}  // namespace koya::http
