#include "http/client/client.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "http/address_range.h"
#include "http/client/proxy_choice.h"
#include "http/url.h"

namespace koya::http {
namespace {

constexpr std::string_view kTlsDetail = "tls: ";
constexpr int kPollMilliseconds = 1000;  // between looks at the times

struct ListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using FieldList = std::unique_ptr<curl_slist, ListCloser>;

using SteadyTime = std::chrono::steady_clock::time_point;

// What the callbacks of one exchange share.
struct Transfer {
  const ClientRequest* request = nullptr;
  ClientResponse response;
  std::uint64_t received = 0;
  std::uint64_t upload_offset = 0;
  std::size_t head_bytes = 0;
  bool head_told = false;
  bool enough = false;           // the rest of the body is of no use to anybody
  std::optional<Error> failure;  // why a callback ended the exchange
  // Why an address was not connected to; another of the host's may still do.
  const ClientOptions* options = nullptr;
  std::optional<Error> refusal;
  // When a byte last went either way. What the callbacks themselves took is not the peer's delay.
  SteadyTime last_byte = std::chrono::steady_clock::now();
  curl_off_t moved = 0;
  // The window that the rate is looked at in.
  SteadyTime window_began = last_byte;
  curl_off_t window_moved = 0;
};

// Without the spaces and the line's end around it.
std::string_view Trimmed(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

bool RefuseHead(Transfer& transfer, std::string_view what) {
  transfer.failure = Error{ErrorKind::kTooLarge, fmt::format("the answer's head has {}", what), {}};
  transfer.failure->limit = "fixed.answer_head";
  return false;
}

// A line of a head. False: it is one too many.
bool TakeField(Transfer& transfer, std::string_view line) {
  auto& fields = transfer.response.fields;
  transfer.head_bytes += line.size();
  if (transfer.head_bytes > kMaxHeadBytes) {
    return RefuseHead(transfer, fmt::format("more than {} bytes", kMaxHeadBytes));
  }
  // A status line begins a new head: what came before was a 100 or a proxy's answer.
  if (line.starts_with("HTTP/")) fields.clear();
  std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.starts_with("HTTP/")) return true;
  if (fields.size() >= kMaxFields) {
    return RefuseHead(transfer, fmt::format("more than {} fields", kMaxFields));
  }
  fields.emplace_back(line.substr(0, colon), Trimmed(line.substr(colon + 1)));
  return true;
}

std::size_t OnField(char* data, std::size_t size, std::size_t count, void* context) {
  bool taken = TakeField(*static_cast<Transfer*>(context), {data, size * count});
  return taken ? size * count : 0;
}

bool IsSuccess(long status) { return status >= 200 && status <= 299; }

// Tells the head of an answer that goes to a sink, once. False: the caller wants no more.
bool TellHead(Transfer& transfer, long status) {
  const ClientRequest& request = *transfer.request;
  if (transfer.head_told || !request.sink || !request.on_head || !IsSuccess(status)) return true;
  transfer.head_told = true;
  transfer.response.status = static_cast<unsigned>(status);
  Status taken = request.on_head(transfer.response);
  if (taken) return true;
  transfer.failure = std::move(taken).error();
  return false;
}

// Of what failed, as much as a message can need.
bool TakeOfFailure(Transfer& transfer, std::string_view bytes) {
  std::string& body = transfer.response.body;
  body.append(bytes.substr(0, kMaxFailureBody - body.size()));
  transfer.enough = body.size() >= kMaxFailureBody;
  return !transfer.enough;
}

bool Take(Transfer& transfer, std::string_view bytes, long status) {
  if (!IsSuccess(status)) return TakeOfFailure(transfer, bytes);
  if (!TellHead(transfer, status)) return false;
  transfer.received += bytes.size();
  if (transfer.received > transfer.request->max_body) {
    transfer.failure =
        Error{ErrorKind::kTooLarge,
              fmt::format("the answer is larger than {} bytes", transfer.request->max_body),
              {}};
    return false;
  }
  if (!transfer.request->sink) {
    transfer.response.body.append(bytes);
    return true;
  }
  Status taken = transfer.request->sink(std::as_bytes(std::span(bytes)));
  if (taken) return true;
  transfer.failure = std::move(taken).error();
  return false;
}

struct BodyContext {
  Transfer* transfer;
  CURL* handle;
};

std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* context) {
  auto& body = *static_cast<BodyContext*>(context);
  Transfer& transfer = *body.transfer;
  long status = 0;
  curl_easy_getinfo(body.handle, CURLINFO_RESPONSE_CODE, &status);
  SteadyTime began = std::chrono::steady_clock::now();
  bool taken = Take(transfer, {data, size * count}, status);
  transfer.last_byte = std::chrono::steady_clock::now();
  transfer.window_began += transfer.last_byte - began;
  return taken ? size * count : 0;
}

std::size_t OnRead(char* buffer, std::size_t size, std::size_t count, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  const FileUpload& upload = *transfer.request->upload;
  ssize_t got = 0;
  do {
    got = ::pread(upload.descriptor, buffer, size * count,
                  static_cast<off_t>(transfer.upload_offset));
  } while (got < 0 && errno == EINTR);
  if (got < 0 || (got == 0 && transfer.upload_offset < upload.size)) {
    transfer.failure = Error{ErrorKind::kInvalid,
                             "the file changed or became unreadable while it was sent; run the "
                             "command again when nothing writes to it",
                             {}};
    return CURL_READFUNC_ABORT;
  }
  transfer.upload_offset += static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

// libcurl rewinds when a kept connection turned out to be closed.
int OnSeek(void* context, curl_off_t offset, int origin) {
  if (origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
  static_cast<Transfer*>(context)->upload_offset = static_cast<std::uint64_t>(offset);
  return CURL_SEEKFUNC_OK;
}

bool TooSlow(Transfer& transfer, std::string_view how) {
  auto origin = ParseUrl(transfer.request->url);
  transfer.failure =
      Error{ErrorKind::kTimeout,
            fmt::format("{} was too slow: {}; try again, or look at the server's log",
                        origin ? origin->Origin() : "the server", how),
            {}};
  return true;
}

// libcurl's own limit goes by an average of five seconds, and so notices too late.
bool HasStalled(Transfer& transfer, curl_off_t moved, SteadyTime now) {
  if (moved != transfer.moved) transfer.last_byte = now;
  transfer.moved = moved;
  auto limit = transfer.options->stall_timeout;
  if (limit.count() == 0 || now - transfer.last_byte < limit) return false;
  return TooSlow(transfer, fmt::format("no byte for {} milliseconds", limit.count()));
}

bool IsTrickling(Transfer& transfer, curl_off_t moved, SteadyTime now) {
  const ClientRequest& request = *transfer.request;
  if (request.min_rate == 0 || now - transfer.window_began < request.rate_window) return false;
  double seconds = std::chrono::duration<double>(now - transfer.window_began).count();
  double rate = static_cast<double>(moved - transfer.window_moved) / seconds;
  transfer.window_began = now;
  transfer.window_moved = moved;
  if (rate >= static_cast<double>(request.min_rate)) return false;
  TooSlow(transfer,
          fmt::format("{:.0f} bytes a second, where {} are the least", rate, request.min_rate));
  transfer.failure->limit = request.min_rate_name;
  return true;
}

// Called when bytes move, and about once a second when none do.
int OnProgress(void* context, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent) {
  auto& transfer = *static_cast<Transfer*>(context);
  const ClientRequest& request = *transfer.request;
  if (request.upload && request.upload->on_progress) {
    request.upload->on_progress(static_cast<std::uint64_t>(sent));
  }
  curl_off_t moved = received + sent;
  SteadyTime now = std::chrono::steady_clock::now();
  return HasStalled(transfer, moved, now) || IsTrickling(transfer, moved, now) ? 1 : 0;
}

// Without port and zone; "" for what is no internet address.
std::string NumericAddress(const curl_sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address.family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in&>(address.addr).sin_addr;
  } else if (address.family == AF_INET6) {
    bytes = &reinterpret_cast<const sockaddr_in6&>(address.addr).sin6_addr;
  }
  if (bytes == nullptr) return {};
  const char* written = ::inet_ntop(address.family, bytes, text.data(), text.size());
  return written == nullptr ? std::string() : std::string(written);
}

// What is asked about is what is connected to: no second look-up can answer another address.
curl_socket_t OnOpenSocket(void* context, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(context);
  Status allowed = transfer.options->check_address(NumericAddress(*address));
  if (!allowed) {
    transfer.refusal = std::move(allowed).error();
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Go's clients never send loopback traffic through a proxy; libcurl would.
std::string HostsWithoutProxy() {
  std::string hosts = "localhost,127.0.0.1,::1";
  for (const char* name : {"no_proxy", "NO_PROXY"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    if (std::string_view(value) == "*") return "*";
    return hosts + "," + value;
  }
  return hosts;
}

std::string_view TlsAdvice(CURLcode code, std::string_view words, std::string_view trust_hint) {
  if (code == CURLE_SSL_CONNECT_ERROR && words.find("wrong version number") != words.npos) {
    return "the port does not speak TLS: if the server serves plain HTTP, write http://";
  }
  if (words.find("does not match") != words.npos || words.find("no alternative") != words.npos) {
    return "use a host name that the certificate is made for, or have it made for this one";
  }
  if (words.find("expired") != words.npos) return "have the certificate renewed";
  return trust_hint;
}

Error TlsError(CURLcode code, std::string_view origin, std::string_view words,
               std::string_view trust_hint) {
  std::string_view advice = TlsAdvice(code, words, trust_hint);
  std::string what = code == CURLE_PEER_FAILED_VERIFICATION
                         ? fmt::format("the certificate of {} is not trusted", origin)
                         : fmt::format("no TLS connection could be made with {}", origin);
  return {ErrorKind::kUnavailable,
          fmt::format("{}: {}{}{}", what, words, advice.empty() ? "" : "; ", advice),
          std::string(kTlsDetail) + std::string(words)};
}

Error CaFileError(const ClientOptions& options, std::string_view words) {
  return {ErrorKind::kInvalid,
          fmt::format("the root certificates in \"{}\" cannot be read: {}; SSL_CERT_FILE must "
                      "name a PEM file",
                      options.ca_file, words),
          std::string(kTlsDetail) + std::string(words)};
}

Error BrokenOff(std::string_view words, const Url& url) {
  std::string_view advice = url.scheme == "http"
                                ? "if the port speaks TLS, write https://, otherwise try again"
                                : "try again";
  return {ErrorKind::kUnavailable,
          fmt::format("the exchange with {} broke off: {}; {}", url.Origin(), words, advice),
          {}};
}

// What a libcurl failure means, in words of ours where they help more.
Error Describe(CURLcode code, std::string_view words, const Url& url,
               const ClientOptions& options) {
  std::string origin = url.Origin();
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return {ErrorKind::kUnavailable,
              fmt::format("the host name \"{}\" has no address: check its spelling, and the DNS "
                          "of this machine",
                          url.host),
              std::string(words)};
    case CURLE_COULDNT_CONNECT:
      return {ErrorKind::kUnavailable,
              fmt::format("nothing answers at {}: {}; is the server running, and is this its "
                          "port?",
                          origin, words),
              {}};
    case CURLE_OPERATION_TIMEDOUT:
      return {
          ErrorKind::kTimeout,
          fmt::format("{} was too slow: {}; try again, or look at the server's log", origin, words),
          {}};
    case CURLE_SSL_CACERT_BADFILE:
      return CaFileError(options, words);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_ISSUER_ERROR:
      return TlsError(code, origin, words, options.trust_hint);
    case CURLE_UNSUPPORTED_PROTOCOL:
      // Also said of an answer that is no HTTP, when the scheme was fine.
      if (url.scheme == "http" || url.scheme == "https") return BrokenOff(words, url);
      [[fallthrough]];
    case CURLE_URL_MALFORMAT:
      return {ErrorKind::kInvalid, fmt::format("{} cannot be fetched: {}", origin, words), {}};
    default:
      return BrokenOff(words, url);
  }
}

}  // namespace

struct Client::Impl {
  ClientOptions options;
  CURLM* multi = nullptr;  // keeps the connections
  CURL* handle = nullptr;
  std::string no_proxy = HostsWithoutProxy();
  std::array<char, CURL_ERROR_SIZE> words{};

  ~Impl() {
    curl_easy_cleanup(handle);
    curl_multi_cleanup(multi);
  }

  template <class Value>
  void Set(CURLoption option, Value value) {
    curl_easy_setopt(handle, option, value);
  }

  void Prepare(const ClientRequest& request, Transfer& transfer, BodyContext& body);
  void PrepareTimes(const ClientRequest& request);
  // Fails with what check_address failed with.
  Status PrepareRoute(const Url& url, Transfer& transfer);
  void PrepareBody(const ClientRequest& request, Transfer& transfer);
  FieldList Fields(const ClientRequest& request) const;
  // Until it has ended, or `stop`, which is CURLE_ABORTED_BY_CALLBACK.
  CURLcode Perform(const std::stop_token& stop);
  Result<ClientResponse> Outcome(CURLcode code, Transfer& transfer, const Url& url);
};

void Client::Impl::Prepare(const ClientRequest& request, Transfer& transfer, BodyContext& body) {
  // What is set by one request does not hold for the next.
  curl_easy_reset(handle);
  words[0] = '\0';
  Set(CURLOPT_ERRORBUFFER, words.data());
  Set(CURLOPT_NOSIGNAL, 1L);
  Set(CURLOPT_URL, request.url.c_str());
  Set(CURLOPT_PROTOCOLS_STR, "http,https");
  Set(CURLOPT_USERAGENT, options.user_agent.c_str());
  if (!request.sink) Set(CURLOPT_ACCEPT_ENCODING, "gzip");
  if (!options.ca_file.empty()) Set(CURLOPT_CAINFO, options.ca_file.c_str());
  if (!options.ca_directory.empty()) Set(CURLOPT_CAPATH, options.ca_directory.c_str());
  PrepareTimes(request);
  Set(CURLOPT_HEADERFUNCTION, &OnField);
  Set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  Set(CURLOPT_WRITEFUNCTION, &OnBody);
  Set(CURLOPT_WRITEDATA, static_cast<void*>(&body));
  Set(CURLOPT_XFERINFOFUNCTION, &OnProgress);
  Set(CURLOPT_XFERINFODATA, static_cast<void*>(&transfer));
  Set(CURLOPT_NOPROGRESS, 0L);
  PrepareBody(request, transfer);
}

void Client::Impl::PrepareTimes(const ClientRequest& request) {
  auto total = request.total_timeout.count() > 0 ? request.total_timeout : options.total_timeout;
  Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
  Set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::min<std::int64_t>(total.count(), INT_MAX)));
  // A look-up that hangs is left to its thread, not waited for beyond these times.
  Set(CURLOPT_QUICK_EXIT, 1L);
}

Status Client::Impl::PrepareRoute(const Url& url, Transfer& transfer) {
  if (!options.check_address) {
    Set(CURLOPT_NOPROXY, no_proxy.c_str());
    return {};
  }
  // Decided here and told to libcurl, so that what is checked and what it does cannot differ.
  std::string proxy = ProxyFor(url, [](const char* name) { return std::getenv(name); });
  Set(CURLOPT_PROXY, proxy.c_str());
  Set(CURLOPT_NOPROXY, "");
  if (proxy.empty()) {
    Set(CURLOPT_OPENSOCKETFUNCTION, &OnOpenSocket);
    Set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(&transfer));
    return {};
  }
  std::string_view host = url.host;
  if (host.starts_with('[')) host = host.substr(1, host.find(']') - 1);
  return Address::Parse(host) ? options.check_address(std::string(host)) : Status();
}

void Client::Impl::PrepareBody(const ClientRequest& request, Transfer& transfer) {
  if (request.method == "HEAD") {
    Set(CURLOPT_NOBODY, 1L);
  } else if (request.upload) {
    Set(CURLOPT_UPLOAD, 1L);
    Set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.upload->size));
    Set(CURLOPT_READFUNCTION, &OnRead);
    Set(CURLOPT_READDATA, static_cast<void*>(&transfer));
    Set(CURLOPT_SEEKFUNCTION, &OnSeek);
    Set(CURLOPT_SEEKDATA, static_cast<void*>(&transfer));
    Set(CURLOPT_UPLOAD_BUFFERSIZE, 256L * 1024);
  } else if (!request.body.empty()) {
    Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    Set(CURLOPT_POSTFIELDS, request.body.c_str());
  }
  if (request.method != "HEAD") Set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

FieldList Client::Impl::Fields(const ClientRequest& request) const {
  FieldList list;
  auto add = [&list](const std::string& line) {
    list.reset(curl_slist_append(list.release(), line.c_str()));
  };
  for (const auto& [name, value] : request.fields) add(fmt::format("{}: {}", name, value));
  add(request.upload ? "Expect: 100-continue" : "Expect:");
  return list;
}

CURLcode Client::Impl::Perform(const std::stop_token& stop) {
  curl_multi_add_handle(multi, handle);
  ScopeGuard remove([this] { curl_multi_remove_handle(multi, handle); });
  std::stop_callback wake(stop, [this] { curl_multi_wakeup(multi); });
  int running = 1;
  while (!stop.stop_requested()) {
    CURLMcode failed = curl_multi_perform(multi, &running);
    if (failed == CURLM_OK && running > 0) {
      failed = curl_multi_poll(multi, nullptr, 0, kPollMilliseconds, nullptr);
    }
    if (failed != CURLM_OK) return CURLE_OUT_OF_MEMORY;
    int left = 0;
    const CURLMsg* ended = curl_multi_info_read(multi, &left);
    if (ended != nullptr) return ended->data.result;
  }
  return CURLE_ABORTED_BY_CALLBACK;
}

Result<ClientResponse> Client::Impl::Outcome(CURLcode code, Transfer& transfer, const Url& url) {
  if (transfer.failure) return Failure(*std::move(transfer.failure));
  if (code == CURLE_COULDNT_CONNECT && transfer.refusal) {
    return Failure(*std::move(transfer.refusal));
  }
  if (code == CURLE_ABORTED_BY_CALLBACK) {
    return Fail(ErrorKind::kUnavailable,
                fmt::format("the exchange with {} was given up", url.Origin()));
  }
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  if (transfer.enough) code = CURLE_OK;
  // An answer without a body has a head too.
  if (code == CURLE_OK && !TellHead(transfer, status)) return Failure(*transfer.failure);
  transfer.response.status = static_cast<unsigned>(status);
  const char* address = nullptr;
  curl_easy_getinfo(handle, CURLINFO_PRIMARY_IP, &address);
  if (address != nullptr) transfer.response.address = address;
  // A server that refuses an upload may answer and close while bytes are still being sent: its
  // answer says more than the broken pipe.
  bool answered_early = transfer.request->upload && status >= 400 &&
                        (code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR);
  if (code == CURLE_OK || answered_early) return std::move(transfer.response);
  std::string_view said(words.data());
  return Failure(Describe(code, said.empty() ? curl_easy_strerror(code) : said, url, options));
}

Client::Client(ClientOptions options) : impl_(std::make_unique<Impl>()) {
  // libcurl asks for one global initialisation before any handle exists; it counts the calls.
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(initialised);
  impl_->options = std::move(options);
  impl_->multi = curl_multi_init();
  impl_->handle = curl_easy_init();
}

Client::~Client() = default;

Result<ClientResponse> Client::Send(const ClientRequest& request) {
  ASSIGN_OR_RETURN(Url url, ParseUrl(request.url));
  Transfer transfer;
  transfer.request = &request;
  transfer.options = &impl_->options;
  BodyContext body{&transfer, impl_->handle};
  impl_->Prepare(request, transfer, body);
  RETURN_IF_ERROR(impl_->PrepareRoute(url, transfer));
  FieldList fields = impl_->Fields(request);
  impl_->Set(CURLOPT_HTTPHEADER, fields.get());
  CURLcode code = impl_->Perform(request.stop);
  return impl_->Outcome(code, transfer, url);
}

std::optional<std::string_view> ClientResponse::Get(std::string_view name) const {
  auto field = std::ranges::find_if(
      fields, [&](const auto& each) { return EqualsIgnoreCase(each.first, name); });
  if (field == fields.end()) return std::nullopt;
  return field->second;
}

bool IsTlsError(const Error& error) { return error.detail.starts_with(kTlsDetail); }

}  // namespace koya::http
