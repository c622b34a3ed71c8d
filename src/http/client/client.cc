#include "http/client/client.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "base/file.h"
#include "base/handle.h"
#include "base/text.h"
#include "http/address_range.h"
#include "http/client/proxy_choice.h"
#include "http/client/transfer.h"
#include "http/url.h"

namespace koya::http {
namespace {

// Prefix of the detail of every TLS failure.
constexpr std::string_view kTlsDetail = "tls: ";

std::string_view TlsAdvice(CURLcode code, std::string_view words, std::string_view trust_hint) {
  if (code == CURLE_SSL_CONNECT_ERROR && words.find("wrong version number") != words.npos) {
    return "the port does not speak TLS: if the server serves plain HTTP, write http://";
  }
  if (words.find("does not match") != words.npos || words.find("no alternative") != words.npos) {
    return "use a host name that the certificate covers, or have it issued for this one";
  }
  if (words.find("expired") != words.npos) return "have the certificate renewed";
  return trust_hint;
}

Error TlsError(CURLcode code, std::string_view origin, std::string_view words,
               std::string_view trust_hint) {
  std::string_view advice = TlsAdvice(code, words, trust_hint);
  bool not_trusted =
      code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_PINNEDPUBKEYNOTMATCH;
  std::string what = not_trusted ? fmt::format("the certificate of {} is not trusted", origin)
                                 : fmt::format("no TLS connection could be made with {}", origin);
  return {ErrorKind::kUnavailable,
          fmt::format("{}: {}{}{}", what, words, advice.empty() ? "" : "; ", advice),
          std::string(kTlsDetail) + std::string(words)};
}

constexpr std::array kSystemCaFiles{
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Alpine, Arch
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Red Hat
    "/etc/pki/tls/certs/ca-bundle.crt",                   // the same, before version 7
    "/etc/ssl/ca-bundle.pem",                             // SUSE
    "/etc/ssl/cert.pem",                                  // Alpine without its package
};

Error CaFileError(const ClientOptions& options, std::string_view words) {
  if (options.ca_file.empty()) {
    return {ErrorKind::kUnavailable,
            fmt::format("this machine has no root certificates to verify servers with (looked for "
                        "{}): install its package ca-certificates, or set SSL_CERT_FILE to a PEM "
                        "file",
                        fmt::join(kSystemCaFiles, ", ")),
            std::string(kTlsDetail) + std::string(words)};
  }
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
          fmt::format("{} closed the connection: {}; {}", url.Origin(), words, advice),
          {}};
}

// `words` are libcurl's own.
Error Describe(CURLcode code, std::string_view words, const Url& url,
               const ClientOptions& options) {
  std::string origin = url.Origin();
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return {ErrorKind::kUnavailable,
              fmt::format(
                  "the host name \"{}\" has no address: check its spelling and this machine's DNS",
                  url.host),
              std::string(words)};
    case CURLE_COULDNT_CONNECT:
      return {ErrorKind::kUnavailable,
              fmt::format("cannot connect to {}: {}; is the server running, and is this its port?",
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
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
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

// Of errors, for those who ask what they mean.
constexpr std::string_view kRefusedDetail = "connection refused";

using FieldList = Handle<curl_slist, curl_slist_free_all>;

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

  void Prepare(const ClientRequest& request, Transfer& transfer);
  void PreparePins();
  void PrepareTimes(const ClientRequest& request);
  // Fails with what check_address failed with.
  Status PrepareRoute(const Url& url, Transfer& transfer);
  void PrepareBody(const ClientRequest& request, Transfer& transfer);
  FieldList Fields(const ClientRequest& request) const;
  // Until it has ended, or `stop`, which is CURLE_ABORTED_BY_CALLBACK.
  CURLcode Perform(const std::stop_token& stop, Transfer& transfer);
  // True if the data gathered for the sink can grow without a wait.
  bool IsMoreAtHand(const Transfer& transfer);
  Result<ClientResponse> Outcome(CURLcode code, Transfer& transfer, const Url& url);
};

void Client::Impl::Prepare(const ClientRequest& request, Transfer& transfer) {
  // Options of the previous request must not apply to this one.
  curl_easy_reset(handle);
  words[0] = '\0';
  Set(CURLOPT_ERRORBUFFER, words.data());
  Set(CURLOPT_NOSIGNAL, 1L);
  Set(CURLOPT_URL, request.url.c_str());
  Set(CURLOPT_PROTOCOLS_STR, "http,https");
  Set(CURLOPT_USERAGENT, options.user_agent.c_str());
  if (!request.sink && !request.plain) Set(CURLOPT_ACCEPT_ENCODING, "gzip");
  if (request.plain) {
    Set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    Set(CURLOPT_PATH_AS_IS, 1L);
  }
  if (request.new_connection) Set(CURLOPT_FRESH_CONNECT, 1L);
  if (!options.ca_file.empty()) Set(CURLOPT_CAINFO, options.ca_file.c_str());
  if (!options.ca_directory.empty()) {
    // A folder suffices; libcurl's own default names a file that must exist.
    if (options.ca_file.empty()) Set(CURLOPT_CAINFO, static_cast<const char*>(nullptr));
    Set(CURLOPT_CAPATH, options.ca_directory.c_str());
  }
  PreparePins();
  PrepareTimes(request);
  Set(CURLOPT_HEADERFUNCTION, &OnField);
  Set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  Set(CURLOPT_WRITEFUNCTION, &OnBody);
  Set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  Set(CURLOPT_XFERINFOFUNCTION, &OnProgress);
  Set(CURLOPT_XFERINFODATA, static_cast<void*>(&transfer));
  Set(CURLOPT_NOPROGRESS, 0L);
  PrepareBody(request, transfer);
}

// libcurl looks at the key whether or not it looks at the rest, and the handshake proves that the
// server has the private one.
void Client::Impl::PreparePins() {
  if (options.pinned_keys.empty()) return;
  Set(CURLOPT_PROTOCOLS_STR, "https");
  Set(CURLOPT_PINNEDPUBLICKEY, options.pinned_keys.c_str());
  Set(CURLOPT_SSL_VERIFYPEER, 0L);
  Set(CURLOPT_SSL_VERIFYHOST, 0L);
  Set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_3));
}

void Client::Impl::PrepareTimes(const ClientRequest& request) {
  auto total = request.total_timeout.count() > 0 ? request.total_timeout : options.total_timeout;
  Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
  Set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::min<std::int64_t>(total.count(), INT_MAX)));
  // A look-up that hangs is left to its thread, not waited for beyond these times.
  Set(CURLOPT_QUICK_EXIT, 1L);
}

Status Client::Impl::PrepareRoute(const Url& url, Transfer& transfer) {
  if (options.direct) Set(CURLOPT_PROXY, "");
  if (!options.check_address) {
    Set(CURLOPT_NOPROXY, options.pinned_keys.empty() ? no_proxy.c_str() : "*");
    return {};
  }
  // Chosen here and passed to libcurl, so that libcurl uses exactly the proxy that was checked.
  std::string proxy = options.direct
                          ? std::string()
                          : ProxyFor(url, [](const char* name) { return std::getenv(name); });
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
  } else if (!request.body.empty() || (request.plain && request.method != "GET")) {
    Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    Set(CURLOPT_POSTFIELDS, request.body.c_str());
  }
  if (request.sink && request.piece_bytes > 0) {
    Set(CURLOPT_BUFFERSIZE, static_cast<long>(std::min(request.piece_bytes, kMaxPiece)));
  }
  if (request.method != "HEAD") Set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

FieldList Client::Impl::Fields(const ClientRequest& request) const {
  FieldList list;
  auto add = [&list](const std::string& line) {
    list.reset(curl_slist_append(list.release(), line.c_str()));
  };
  for (const auto& [name, value] : request.fields) add(fmt::format("{}: {}", name, value));
  add(request.upload && !request.plain ? "Expect: 100-continue" : "Expect:");
  // What libcurl would say of a body by itself.
  if (request.plain) add("Content-Type:");
  return list;
}

bool Client::Impl::IsMoreAtHand(const Transfer& transfer) {
  int ready = 0;
  return transfer.piece_size > 0 && curl_multi_poll(multi, nullptr, 0, 0, &ready) == CURLM_OK &&
         ready > 0;
}

CURLcode Client::Impl::Perform(const std::stop_token& stop, Transfer& transfer) {
  curl_multi_add_handle(multi, handle);
  ScopeGuard remove([this] { curl_multi_remove_handle(multi, handle); });
  std::stop_callback wake(stop, [this] { curl_multi_wakeup(multi); });
  int running = 1;
  while (!stop.stop_requested()) {
    CURLMcode failed = curl_multi_perform(multi, &running);
    Transfer::Time now = std::chrono::steady_clock::now();
    if (running > 0 && transfer.IsFirstByteLate(now)) return CURLE_OPERATION_TIMEDOUT;
    if (failed == CURLM_OK && running > 0 && IsMoreAtHand(transfer)) continue;
    if (!HandOver(transfer)) return CURLE_WRITE_ERROR;
    if (failed == CURLM_OK && running > 0) {
      auto wait = static_cast<int>(transfer.UntilNextLook(now).count());
      failed = curl_multi_poll(multi, nullptr, 0, wait, nullptr);
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
    return FailUnavailable("the request to {} was canceled", url.Origin());
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
  Error error = Describe(code, said.empty() ? curl_easy_strerror(code) : said, url, options);
  long os_error = 0;
  curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &os_error);
  if (code == CURLE_COULDNT_CONNECT && os_error == ECONNREFUSED) error.detail = kRefusedDetail;
  return Failure(std::move(error));
}

const std::string& SystemCaFile() {
  static const std::string kFile = [] {
    const auto found = std::ranges::find_if(
        kSystemCaFiles, [](const char* file) { return ::access(file, R_OK) == 0; });
    return found == kSystemCaFiles.end() ? std::string() : std::string(*found);
  }();
  return kFile;
}

Client::Client(ClientOptions options) : impl_(std::make_unique<Impl>()) {
  // libcurl asks for one global initialisation before any handle exists; it counts the calls.
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(initialised);
  impl_->options = std::move(options);
  if (impl_->options.ca_file.empty()) impl_->options.ca_file = SystemCaFile();
  impl_->multi = curl_multi_init();
  impl_->handle = curl_easy_init();
}

Client::~Client() = default;

Result<ClientResponse> Client::Send(const ClientRequest& request) {
  ASSIGN_OR_RETURN(Url url, ParseUrl(request.url));
  Transfer transfer;
  transfer.request = &request;
  transfer.options = &impl_->options;
  transfer.handle = impl_->handle;
  impl_->Prepare(request, transfer);
  RETURN_IF_ERROR(impl_->PrepareRoute(url, transfer));
  FieldList fields = impl_->Fields(request);
  impl_->Set(CURLOPT_HTTPHEADER, fields.get());
  CURLcode code = impl_->Perform(request.stop, transfer);
  return impl_->Outcome(code, transfer, url);
}

std::optional<std::string_view> ClientResponse::Get(std::string_view name) const {
  auto field = std::ranges::find_if(
      fields, [&](const auto& each) { return EqualsIgnoreCase(each.first, name); });
  if (field == fields.end()) return std::nullopt;
  return field->second;
}

bool IsTlsError(const Error& error) { return error.detail.starts_with(kTlsDetail); }

bool IsRefusedConnection(const Error& error) { return error.detail == kRefusedDetail; }

}  // namespace koya::http
