#include "http/server/raw_client_fake.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "base/file.h"
#include "base/text.h"

namespace koya::http {
namespace {

constexpr int kPatience = 15'000;  // milliseconds; what takes longer has failed

std::string Trimmed(std::string_view text) {
  std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : std::string(text.substr(first));
}

void ParseFields(std::string_view head, RawAnswer& answer) {
  answer.status = static_cast<unsigned>(std::stoi(std::string(head.substr(9, 3))));
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    std::size_t end = head.find("\r\n", at);
    std::string_view line = head.substr(at, end - at);
    at = end + 2;
    std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    answer.fields.emplace(AsciiLower(line.substr(0, colon)), Trimmed(line.substr(colon + 1)));
  }
}

}  // namespace

std::string RawAnswer::Get(const std::string& lower_name) const {
  auto found = fields.find(lower_name);
  return found == fields.end() ? "" : found->second;
}

struct RawClient::Impl {
  UniqueFd socket;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context{nullptr, SSL_CTX_free};
  std::unique_ptr<SSL, void (*)(SSL*)> ssl{nullptr, SSL_free};
  std::string buffered;
  bool connected = false;
  bool reset = false;
  bool ended = false;

  bool Connect(std::uint16_t port, const Options& options);
  bool StartTls(const Options& options);
  bool WaitReadable(int milliseconds) const;
  std::size_t Receive(char* into, std::size_t size);
  bool More();
  bool MoreUntil(std::string_view text, std::size_t from);
  void ReadSized(std::size_t size, RawAnswer& answer);
  void ReadChunked(RawAnswer& answer);
};

bool RawClient::Impl::Connect(std::uint16_t port, const Options& options) {
  socket = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  timeval limit{kPatience / 1000, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (options.receive_buffer > 0) {
    setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &options.receive_buffer, sizeof(int));
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (!options.source.empty()) {
    inet_pton(AF_INET, options.source.c_str(), &address.sin_addr);
    if (bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      return false;
    }
  }
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return false;
  }
  const ssize_t sent = ::send(socket.get(), options.preface.data(), options.preface.size(), 0);
  if (sent != static_cast<ssize_t>(options.preface.size())) return false;
  return !options.tls || StartTls(options);
}

bool RawClient::Impl::StartTls(const Options& options) {
  context.reset(SSL_CTX_new(TLS_client_method()));
  if (options.tls_version != 0) {
    SSL_CTX_set_min_proto_version(context.get(), options.tls_version);
    SSL_CTX_set_max_proto_version(context.get(), options.tls_version);
  }
  if (!options.ciphers.empty()) {
    SSL_CTX_set_ciphersuites(context.get(), options.ciphers.c_str());
  }
  std::string offered;
  for (const std::string& protocol : options.protocols) {
    offered += static_cast<char>(protocol.size());
    offered += protocol;
  }
  SSL_CTX_set_alpn_protos(context.get(), reinterpret_cast<const unsigned char*>(offered.data()),
                          static_cast<unsigned>(offered.size()));
  SSL_CTX_set_options(context.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
  ssl.reset(SSL_new(context.get()));
  SSL_set_fd(ssl.get(), socket.get());
  return SSL_connect(ssl.get()) == 1;
}

bool RawClient::Impl::WaitReadable(int milliseconds) const {
  if (ssl && SSL_pending(ssl.get()) > 0) return true;
  pollfd wait{socket.get(), POLLIN, 0};
  return poll(&wait, 1, milliseconds) > 0;
}

std::size_t RawClient::Impl::Receive(char* into, std::size_t size) {
  ERR_clear_error();
  errno = 0;
  ssize_t got =
      ssl ? SSL_read(ssl.get(), into, static_cast<int>(size)) : recv(socket.get(), into, size, 0);
  if (got > 0) return static_cast<std::size_t>(got);
  ended = errno != EAGAIN && errno != EWOULDBLOCK;
  reset = errno == ECONNRESET || errno == EPIPE;
  return 0;
}

bool RawClient::Impl::More() {
  std::string piece(64 * 1024, '\0');
  std::size_t got = Receive(piece.data(), piece.size());
  buffered.append(piece, 0, got);
  return got > 0;
}

bool RawClient::Impl::MoreUntil(std::string_view text, std::size_t from) {
  while (buffered.find(text, from) == std::string::npos) {
    if (!More()) return false;
  }
  return true;
}

void RawClient::Impl::ReadSized(std::size_t size, RawAnswer& answer) {
  while (buffered.size() < size && More()) {
  }
  answer.complete = buffered.size() >= size;
  answer.body = buffered.substr(0, size);
  buffered.erase(0, size);
}

void RawClient::Impl::ReadChunked(RawAnswer& answer) {
  while (MoreUntil("\r\n", 0)) {
    std::size_t size = std::stoul(buffered, nullptr, 16);
    std::size_t start = buffered.find("\r\n") + 2;
    while (buffered.size() < start + size + 2) {
      if (!More()) return;
    }
    answer.body += buffered.substr(start, size);
    buffered.erase(0, start + size + 2);
    if (size > 0) continue;
    answer.complete = true;
    return;
  }
}

RawClient::RawClient(std::uint16_t port, Options options) : impl_(std::make_unique<Impl>()) {
  impl_->connected = impl_->Connect(port, options);
}

RawClient::~RawClient() = default;

bool RawClient::connected() const { return impl_->connected; }

std::string RawClient::negotiated_protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(impl_->ssl.get(), &name, &size);
  return name == nullptr ? "" : std::string(reinterpret_cast<const char*>(name), size);
}

std::string RawClient::negotiated_cipher() const { return SSL_get_cipher_name(impl_->ssl.get()); }

std::string RawClient::peer_certificate_name() const {
  std::unique_ptr<X509, void (*)(X509*)> certificate(SSL_get1_peer_certificate(impl_->ssl.get()),
                                                     X509_free);
  char name[128] = "";
  if (certificate) {
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name,
                              sizeof name);
  }
  return name;
}

bool RawClient::Send(std::string_view bytes) {
  if (!impl_->ssl) return SendRaw(bytes);
  ERR_clear_error();
  while (!bytes.empty()) {
    int piece = static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 20));
    int sent = SSL_write(impl_->ssl.get(), bytes.data(), piece);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RawClient::SendRaw(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = send(impl_->socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawClient::FinishSending() {
  if (impl_->ssl) SSL_shutdown(impl_->ssl.get());
  shutdown(impl_->socket.get(), SHUT_WR);
}

std::optional<RawAnswer> RawClient::ReadAnswer(bool to_head) {
  if (!impl_->MoreUntil("\r\n\r\n", 0)) return std::nullopt;
  RawAnswer answer;
  answer.head = impl_->buffered.substr(0, impl_->buffered.find("\r\n\r\n") + 4);
  impl_->buffered.erase(0, answer.head.size());
  ParseFields(answer.head, answer);
  bool bodyless = to_head || answer.status == 204 || answer.status == 304 || answer.status < 200;
  if (bodyless) {
    answer.complete = true;
  } else if (answer.Get("transfer-encoding") == "chunked") {
    impl_->ReadChunked(answer);
  } else if (answer.fields.contains("content-length")) {
    impl_->ReadSized(std::stoul(answer.Get("content-length")), answer);
  } else {
    answer.body = ReadToEnd();
    answer.complete = impl_->ended && !impl_->reset;
  }
  return answer;
}

std::string RawClient::ReadSome(std::size_t most) {
  if (impl_->buffered.empty()) impl_->More();
  std::string some = impl_->buffered.substr(0, most);
  impl_->buffered.erase(0, some.size());
  return some;
}

std::string RawClient::ReadToEnd() {
  while (impl_->More()) {
  }
  return std::exchange(impl_->buffered, std::string());
}

RawClient::End RawClient::WaitForEnd(int milliseconds) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  char waste[4096];
  while (!impl_->ended) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return End::kStillOpen;
    if (!impl_->WaitReadable(static_cast<int>(left.count()))) return End::kStillOpen;
    impl_->Receive(waste, sizeof waste);
  }
  return impl_->reset ? End::kReset : End::kOrderly;
}

bool RawClient::got_goodbye() const {
  return (SSL_get_shutdown(impl_->ssl.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

std::optional<RawAnswer> Ask(std::uint16_t port, std::string_view request, bool tls) {
  RawClient::Options options;
  options.tls = tls;
  RawClient client(port, options);
  client.Send(request);
  return client.ReadAnswer(request.starts_with("HEAD "));
}

void WriteTestCertificate(const std::string& certificate_file, const std::string& key_file,
                          const std::string& common_name) {
  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  std::unique_ptr<X509, void (*)(X509*)> certificate(X509_new(), X509_free);
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  auto* text = reinterpret_cast<const unsigned char*>(common_name.c_str());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  using File = std::unique_ptr<FILE, int (*)(FILE*)>;
  File certificate_out(std::fopen(certificate_file.c_str(), "w"), std::fclose);
  File key_out(std::fopen(key_file.c_str(), "w"), std::fclose);
  if (!certificate_out || !key_out) throw std::runtime_error("cannot write the certificate");
  PEM_write_X509(certificate_out.get(), certificate.get());
  PEM_write_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
}

}  // namespace koya::http
