#include "cli/login_client.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "auth/token.h"
#include "base/encoding.h"
#include "base/secrets.h"
#include "base/sha256.h"
#include "base/text.h"

namespace koya::cli {
namespace {

using FormFields = std::vector<std::pair<std::string, std::string>>;

std::string EncodeForm(const FormFields& fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    text += (text.empty() ? "" : "&") + name + "=" + http::PercentEncode(value);
  }
  return text;
}

// Clients take localhost for the loopback address, and servers compare the text.
std::string RedirectUri(std::uint16_t port) {
  return fmt::format("http://localhost:{}/login", port);
}

http::ClientRequest FormRequest(const http::Url& url, const FormFields& fields) {
  http::ClientRequest request;
  request.method = "POST";
  request.url = url.ToString();
  request.fields = {{"Content-Type", "application/x-www-form-urlencoded"},
                    {"Accept", "application/json"}};
  request.body = EncodeForm(fields);
  request.total_timeout = std::chrono::seconds(30);
  return request;
}

Error CodeRefused(const http::ClientResponse& response, const http::Url& url) {
  auto refusal = wire::Decode<wire::OAuthError>(response.body);
  if (!refusal) return AnswerError(response, "POST " + http::PlaceOf(url), false);
  std::string words = Printable(refusal->error);
  if (!refusal->error_description.empty()) {
    words += ": " + Printable(refusal->error_description, 500);
  }
  return {
      ErrorKind::kUnauthenticated,
      fmt::format(
          "the server issued no token: {}\n  where: POST {} answered {}\n  to do: sign in again",
          words, http::PlaceOf(url), response.status),
      {}};
}

constexpr std::size_t kMostConnections = 32;  // the oldest gives way
constexpr std::size_t kLongestHead = 16 << 10;

struct BrowserConnection {
  UniqueFd socket;
  std::string head = {};
};

sockaddr_in LoopbackAddress(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Invalid when the port is not free.
UniqueFd ListenOn(std::uint16_t port) {
  UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = LoopbackAddress(port);
  const auto* plain = reinterpret_cast<const sockaddr*>(&address);
  bool listens = listener.valid() && ::bind(listener.get(), plain, sizeof address) == 0 &&
                 ::listen(listener.get(), 16) == 0;
  return listens ? std::move(listener) : UniqueFd();
}

// "%2F" → "/", "+" → " "; nullopt for an invalid encoding.
std::optional<std::string> FormDecode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string pair = AsciiLower(text.substr(i + 1, 2));
    if (pair.size() != 2 || pair.find_first_not_of(kHex) != pair.npos) return std::nullopt;
    out += static_cast<char>(kHex.find(pair[0]) * 16 + kHex.find(pair[1]));
    i += 2;
  }
  return out;
}

// The one value of `name`; nullopt: it is absent, stands twice, or is not encoded well.
std::optional<std::string> Parameter(std::string_view query, std::string_view name) {
  std::optional<std::string> found;
  while (!query.empty()) {
    std::size_t end = std::min(query.find('&'), query.size());
    std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) != name) continue;
    if (found) return std::nullopt;
    found = FormDecode(pair.substr(std::min(equals + 1, pair.size())));
    if (!found) return std::nullopt;
  }
  return found;
}

void Answer(const BrowserConnection& browser, std::string_view status, std::string_view text) {
  std::string answer = fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n"
      "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{}\n",
      status, text.size() + 1, text);
  // Small enough for the socket's buffer; a browser that does not read must not block this.
  ssize_t ignored = ::send(browser.socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
  static_cast<void>(ignored);
  ::shutdown(browser.socket.get(), SHUT_WR);
}

// Answers, and gives back what ends the waiting.
std::optional<Result<std::string>> Conclude(const BrowserConnection& browser,
                                            std::string_view state) {
  std::string_view head = browser.head;
  LoginCallback callback = ReadCallback(head.substr(0, head.find("\r\n")), state);
  switch (callback.kind) {
    case LoginCallback::Kind::kCode:
      Answer(browser, "200 OK", "Signed in. You can close this page and go back to the terminal.");
      return Result<std::string>(std::move(callback.text));
    case LoginCallback::Kind::kDenied:
      Answer(browser, "200 OK", "Not signed in. You can close this page.");
      return Result<std::string>(
          FailForbidden("the server did not sign you in: {}", Printable(callback.text, 500)));
    case LoginCallback::Kind::kNotGet:
      Answer(browser, "405 Method Not Allowed\r\nAllow: GET", "Only GET is allowed here.");
      return std::nullopt;
    case LoginCallback::Kind::kStranger:
      Answer(browser, "400 Bad Request", "This is not the expected sign-in.");
      return std::nullopt;
  }
  return std::nullopt;
}

// One look at what has arrived. True: this connection is done with.
struct Glance {
  bool done = false;
  std::optional<Result<std::string>> outcome = {};
};
Glance Look(BrowserConnection& browser, std::string_view state) {
  std::array<char, 4096> buffer{};
  ssize_t got = ::recv(browser.socket.get(), buffer.data(), buffer.size(), 0);
  if (got < 0) return {.done = errno != EAGAIN && errno != EINTR};
  if (got == 0) return {.done = true};
  browser.head.append(buffer.data(), static_cast<std::size_t>(got));
  if (browser.head.find("\r\n\r\n") != std::string::npos) {
    return {.done = true, .outcome = Conclude(browser, state)};
  }
  return {.done = browser.head.size() > kLongestHead};
}

class Callbacks {
 public:
  explicit Callbacks(int listener) : listener_(listener) {}

  // Waits until something happens, `milliseconds` at most. Fails: kInternal.
  Result<std::optional<Result<std::string>>> Turn(std::string_view state, int milliseconds) {
    std::vector<pollfd> watched = {{listener_, POLLIN, 0}};
    for (const BrowserConnection& each : browsers_) {
      watched.push_back({each.socket.get(), POLLIN, 0});
    }
    if (::poll(watched.data(), watched.size(), milliseconds) < 0 && errno != EINTR) {
      return FailInternal("cannot wait for the browser: {}",
                          std::error_code(errno, std::generic_category()).message());
    }
    for (std::size_t i = browsers_.size(); i-- > 0;) {
      if (watched[i + 1].revents == 0) continue;
      Glance glance = Look(browsers_[i], state);
      if (glance.outcome) return std::move(glance.outcome);
      if (glance.done) browsers_.erase(browsers_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (watched[0].revents != 0) Accept();
    return std::optional<Result<std::string>>();
  }

 private:
  void Accept() {
    UniqueFd socket(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid()) return;
    if (browsers_.size() >= kMostConnections) browsers_.erase(browsers_.begin());
    browsers_.push_back({.socket = std::move(socket)});
  }

  int listener_;
  std::vector<BrowserConnection> browsers_;
};

}  // namespace

LoginSecrets MakeLoginSecrets() {
  // Two of 22 characters: a verifier has 43 to 128 (RFC 7636 §4.1).
  return {.state = auth::RandomId(), .verifier = auth::RandomId() + auth::RandomId()};
}

std::string ChallengeOf(std::string_view verifier) { return Base64UrlEncode(Sha256(verifier)); }

LoginClient::LoginClient(RegistryClientOptions options) : options_(std::move(options)) {
  options_.token.clear();
}

Result<http::Url> LoginClient::Resolve(const std::string& reference) const {
  http::Url base = options_.server;
  base.path = "/.well-known/terraform.json";
  ASSIGN_OR_RETURN(http::Url url, http::ResolveUrl(base, reference));
  bool plain = url.scheme == "http" &&
               (url.Origin() == options_.server.Origin() || http::IsLoopbackHost(url.host));
  if ((url.scheme == "https" || plain) && !url.has_user_info) return url;
  return FailInvalid("{} redirects sign-ins to {}, which is not https: secrets are not sent there",
                     options_.server.Origin(), Printable(http::PlaceOf(url)));
}

Status LoginClient::Discover() {
  ApiClient api(options_);
  ASSIGN_OR_RETURN(std::string body, api.Get("/.well-known/terraform.json"));
  ASSIGN_OR_RETURN(auto service, wire::DecodeLoginService(body));
  if (!service) {
    return FailNotFound(
        "{} does not support login: get a token, and store it with \"koya "
        "login {} --token-stdin\"",
        options_.server.Origin(), options_.server.Origin());
  }
  if (std::ranges::count(service->grant_types, "authz_code") == 0) {
    return FailInvalid(
        "{} does not support login by code (\"authz_code\"), the only way that koya supports",
        options_.server.Origin());
  }
  service_ = *std::move(service);
  ASSIGN_OR_RETURN(authorize_, Resolve(service_.authz));
  ASSIGN_OR_RETURN(token_, Resolve(service_.token));
  return {};
}

std::string LoginClient::PageUrl(const LoginSecrets& secrets, std::uint16_t port,
                                 Scope scope) const {
  http::Url page = authorize_;
  page.query += page.query.empty() ? "" : "&";
  page.query += EncodeForm({{"client_id", service_.client},
                            {"code_challenge", ChallengeOf(secrets.verifier)},
                            {"code_challenge_method", "S256"},
                            {"redirect_uri", RedirectUri(port)},
                            {"response_type", "code"},
                            {"scope", std::string(ScopeName(scope))},
                            {"state", secrets.state}});
  return page.ToString();
}

Result<wire::AccessToken> LoginClient::Exchange(const LoginSecrets& secrets, std::uint16_t port,
                                                const std::string& code) {
  http::Client client(options_.http);
  http::ClientRequest request = FormRequest(token_, {{"client_id", service_.client},
                                                     {"code", code},
                                                     {"code_verifier", secrets.verifier},
                                                     {"grant_type", "authorization_code"},
                                                     {"redirect_uri", RedirectUri(port)}});
  ASSIGN_OR_RETURN(http::ClientResponse response, client.Send(request));
  if (response.status != 200) return Failure(CodeRefused(response, token_));
  return wire::Decode<wire::AccessToken>(response.body);
}

Status CheckTokenWithServer(const RegistryClientOptions& options) {
  ApiClient api(options);
  constexpr std::string_view kPath = "/v1/modules?limit=1";
  ASSIGN_OR_RETURN(http::ClientResponse response, api.Exchange({}, kPath));
  // A token of few rights may not read that; it is a token all the same.
  if (response.status < 300 || response.status == 403 || response.status == 404) return {};
  return std::unexpected(api.Explain(response, "GET", kPath));
}

Status RevokeWithServer(const RegistryClientOptions& options) {
  RegistryClientOptions bare = options;
  bare.token.clear();
  ApiClient api(bare);
  http::ClientRequest request;
  request.method = "POST";
  request.fields = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = EncodeForm({{"token", options.token}, {"token_type_hint", "access_token"}});
  request.total_timeout = std::chrono::seconds(30);
  Result<http::ClientResponse> response = api.Call(std::move(request), "/oauth/revoke");
  if (!response) return std::unexpected(std::move(response).error());
  return {};
}

LoginCallback ReadCallback(std::string_view request_line, std::string_view state) {
  std::size_t first = request_line.find(' ');
  std::size_t last = request_line.rfind(' ');
  if (first == request_line.npos || last <= first) return {};
  if (request_line.substr(0, first) != "GET") return {LoginCallback::Kind::kNotGet, {}};
  std::string_view target = request_line.substr(first + 1, last - first - 1);
  std::size_t mark = target.find('?');
  std::string_view query = mark == target.npos ? std::string_view() : target.substr(mark + 1);
  std::optional<std::string> sent = Parameter(query, "state");
  if (!sent || !EqualSecrets(*sent, state)) return {};
  if (auto error = Parameter(query, "error"); error && !error->empty()) {
    auto more = Parameter(query, "error_description");
    if (more && !more->empty()) *error += ": " + *more;
    return {LoginCallback::Kind::kDenied, *std::move(error)};
  }
  auto code = Parameter(query, "code");
  if (!code || code->empty()) return {};
  return {LoginCallback::Kind::kCode, *std::move(code)};
}

Result<LoginListener> LoginListener::Open(std::uint16_t first, std::uint16_t last) {
  for (unsigned port = first; port <= last; ++port) {
    UniqueFd socket = ListenOn(static_cast<std::uint16_t>(port));
    if (socket.valid()) return LoginListener(std::move(socket), static_cast<std::uint16_t>(port));
  }
  return FailConflict(
      "none of the ports {} to {} of 127.0.0.1 is free for the browser to "
      "return to: end another \"login\" that is waiting",
      first, last);
}

Result<std::string> LoginListener::WaitForCode(std::string_view state,
                                               std::chrono::seconds patience) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + patience;
  Callbacks callbacks(socket_.get());
  while (true) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) break;
    ASSIGN_OR_RETURN(auto outcome, callbacks.Turn(state, static_cast<int>(left)));
    if (outcome) return *std::move(outcome);
  }
  return Fail(ErrorKind::kTimeout,
              fmt::format("no sign-in within {} seconds: try again", patience.count()));
}

}  // namespace koya::cli
