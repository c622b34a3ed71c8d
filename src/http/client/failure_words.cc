#include "http/client/failure_words.h"

#include <fmt/format.h>

namespace koya::http {
namespace {

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
          fmt::format("{} closed the connection: {}; {}", url.Origin(), words, advice),
          {}};
}

}  // namespace

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

}  // namespace koya::http
