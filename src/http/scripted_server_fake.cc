#include "http/scripted_server_fake.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "base/file.h"
#include "base/text.h"

namespace koya::http {
namespace {

// One accepted connection, plain or TLS. Reads and writes give up after a few seconds, so that a
// test that goes wrong ends.
class Connection {
 public:
  Connection(int fd, SSL_CTX* tls) : fd_(fd) {
    timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (tls == nullptr) return;
    ssl_ = SSL_new(tls);
    SSL_set_fd(ssl_, fd);
    usable_ = SSL_accept(ssl_) == 1;
  }
  ~Connection() {
    if (ssl_ != nullptr) {
      if (usable_) SSL_shutdown(ssl_);
      SSL_free(ssl_);
    }
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool usable() const { return usable_; }

  // Appends what arrives to `data`; false at the end.
  bool Read(std::string& data) {
    std::array<char, 65536> buffer{};
    long got = ssl_ != nullptr ? SSL_read(ssl_, buffer.data(), buffer.size())
                               : ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    data.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
  }

  // Waits for `pause`; false when the client closed the connection or `stopping` was set first.
  bool Linger(std::chrono::milliseconds pause, const std::atomic<bool>& stopping) {
    // In short waits, so that the end of the test is noticed.
    constexpr std::chrono::milliseconds kStep{20};
    for (; pause.count() > 0 && !stopping; pause -= std::min(pause, kStep)) {
      pollfd readable{.fd = fd_.get(), .events = POLLIN, .revents = 0};
      int ready = ::poll(&readable, 1, static_cast<int>(std::min(pause, kStep).count()));
      std::string ignored;
      if (ready > 0 && !Read(ignored)) return false;
    }
    return !stopping;
  }

  void Write(std::string_view text) {
    while (!text.empty()) {
      long sent = ssl_ != nullptr ? SSL_write(ssl_, text.data(), static_cast<int>(text.size()))
                                  : ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

 private:
  UniqueFd fd_;
  SSL* ssl_ = nullptr;
  bool usable_ = true;
};

ScriptedRequest ParseHead(std::string_view head) {
  ScriptedRequest request;
  std::size_t end = head.find("\r\n");
  std::string_view line = head.substr(0, end);
  request.method = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), request.method.size() + 1));
  request.target = line.substr(0, line.find(' '));
  while (end != head.npos && end + 2 < head.size()) {
    std::size_t next = head.find("\r\n", end + 2);
    std::string_view field = head.substr(end + 2, next - end - 2);
    std::size_t colon = field.find(':');
    if (colon != field.npos) {
      std::string_view value = field.substr(colon + 1);
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
      request.fields[AsciiLower(field.substr(0, colon))] = value;
    }
    end = next;
  }
  return request;
}

std::optional<ScriptedRequest> ReadRequest(Connection& connection) {
  std::string data;
  std::size_t end = 0;
  while ((end = data.find("\r\n\r\n")) == data.npos) {
    if (!connection.Read(data)) return std::nullopt;
    // A TLS greeting, for one: refused at once, as servers do.
    if (data[0] < 'A' || data[0] > 'Z') {
      connection.Write("HTTP/1.1 400 Bad Request\r\n\r\n");
      return std::nullopt;
    }
  }
  ScriptedRequest request = ParseHead(std::string_view(data).substr(0, end));
  if (request.fields.contains("expect")) connection.Write("HTTP/1.1 100 Continue\r\n\r\n");
  std::size_t length = 0;
  auto field = request.fields.find("content-length");
  if (field != request.fields.end()) length = std::stoul(field->second);
  data.erase(0, end + 4);
  while (data.size() < length) {
    if (!connection.Read(data)) return std::nullopt;
  }
  request.body = std::move(data);
  return request;
}

std::string RenderHead(const ScriptedAnswer& answer) {
  std::string text = fmt::format("HTTP/1.1 {} Scripted\r\nConnection: close\r\n", answer.status);
  for (const auto& [name, value] : answer.fields) text += fmt::format("{}: {}\r\n", name, value);
  if (answer.status != 204) text += fmt::format("Content-Length: {}\r\n", answer.body.size());
  return text + "\r\n";
}

}  // namespace

struct ScriptedServer::Impl {
  Respond respond;
  SSL_CTX* tls = nullptr;
  UniqueFd listener;
  std::uint16_t port = 0;
  mutable std::mutex mutex;
  std::vector<ScriptedRequest> requests;
  std::atomic<bool> stopping = false;
  std::thread thread;

  void Listen();
  void Serve();
  void Answer(Connection& connection);
  void Say(Connection& connection, const ScriptedAnswer& answer, bool with_body) const;
};

void ScriptedServer::Impl::Listen() {
  listener = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.get(), generic, size) != 0 || ::listen(listener.get(), 16) != 0 ||
      ::getsockname(listener.get(), generic, &size) != 0) {
    throw std::runtime_error("the test's server cannot listen on loopback");
  }
  port = ntohs(address.sin_port);
}

void ScriptedServer::Impl::Serve() {
  while (true) {
    int fd = ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    Connection connection(fd, tls);
    if (connection.usable()) Answer(connection);
  }
}

void ScriptedServer::Impl::Answer(Connection& connection) {
  std::optional<ScriptedRequest> request = ReadRequest(connection);
  if (!request) return;
  {
    std::lock_guard lock(mutex);
    requests.push_back(*request);
  }
  ScriptedAnswer answer = respond(*request);
  if (!answer.silent) Say(connection, answer, request->method != "HEAD");
  if (answer.held) connection.Linger(std::chrono::seconds(10), stopping);
}

void ScriptedServer::Impl::Say(Connection& connection, const ScriptedAnswer& answer,
                               bool with_body) const {
  std::string head = answer.raw.empty() ? RenderHead(answer) : std::string();
  std::string_view rest = answer.raw.empty() ? answer.body : answer.raw;
  if (answer.raw.empty() && !with_body) rest = {};
  if (answer.pause.count() == 0) return connection.Write(head + std::string(rest));
  connection.Write(head);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (!connection.Linger(answer.pause, stopping)) return;
    connection.Write(rest.substr(i, 1));
  }
}

ScriptedServer::ScriptedServer(Respond respond, SSL_CTX* tls) : impl_(std::make_unique<Impl>()) {
  // OpenSSL writes without MSG_NOSIGNAL; a client that is gone must not end the test.
  std::signal(SIGPIPE, SIG_IGN);
  impl_->respond = std::move(respond);
  impl_->tls = tls;
  impl_->Listen();
  impl_->thread = std::thread([this] { impl_->Serve(); });
}

ScriptedServer::~ScriptedServer() {
  impl_->stopping = true;
  // Wakes accept with an error; the descriptor is closed once the thread has ended.
  ::shutdown(impl_->listener.get(), SHUT_RDWR);
  impl_->thread.join();
}

std::uint16_t ScriptedServer::port() const { return impl_->port; }

std::string ScriptedServer::url() const {
  return fmt::format("{}://127.0.0.1:{}", impl_->tls != nullptr ? "https" : "http", impl_->port);
}

std::vector<ScriptedRequest> ScriptedServer::requests() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->requests;
}

}  // namespace koya::http
