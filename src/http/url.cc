#include "http/url.h"

#include <curl/curl.h>
#include <algorithm>
#include <charconv>
#include <memory>

#include "base/handle.h"
#include "base/idna.h"
#include "base/text.h"

namespace koya::http {
namespace {

using UrlHandle = Handle<CURLU, curl_url_cleanup>;

// Schemes that libcurl cannot fetch ("git") are still URLs.
constexpr unsigned kParseFlags = CURLU_NON_SUPPORT_SCHEME;

std::string Part(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  CURLUcode code = curl_url_get(url, part, &text, flags);
  std::unique_ptr<char, decltype(&curl_free)> owner(text, curl_free);
  return code == CURLUE_OK && text != nullptr ? std::string(text) : std::string();
}

// libcurl would read other scripts in the encoding of the process's locale, which a server has not.
std::string HostOf(CURLU* url) {
  std::string host = AsciiLower(Part(url, CURLUPART_HOST));
  if (std::ranges::all_of(host, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return host;
  }
  idna::Converted ascii = idna::NameToAscii(host);
  return ascii.problem.empty() ? ascii.text : host;
}

Result<Url> Read(CURLU* handle, std::string_view text) {
  Url url;
  url.scheme = AsciiLower(Part(handle, CURLUPART_SCHEME));
  url.host = HostOf(handle);
  if (url.host.empty()) {
    return FailInvalid("\"{}\" names no host: write https://HOST[:PORT]", Printable(text));
  }
  url.port = Part(handle, CURLUPART_PORT, CURLU_NO_DEFAULT_PORT);
  url.path = Part(handle, CURLUPART_PATH);
  url.query = Part(handle, CURLUPART_QUERY);
  url.fragment = Part(handle, CURLUPART_FRAGMENT);
  url.has_user_info = !Part(handle, CURLUPART_USER).empty();
  return url;
}

}  // namespace

std::string Url::Authority() const { return port.empty() ? host : host + ":" + port; }

std::uint16_t Url::PortNumber() const {
  std::uint16_t number = scheme == "https" ? 443 : scheme == "http" ? 80 : 0;
  if (!port.empty()) std::from_chars(port.data(), port.data() + port.size(), number);
  return number;
}

std::string Url::Origin() const { return scheme + "://" + Authority(); }

std::string Url::ToString() const {
  std::string text = Origin() + path;
  if (!query.empty()) text += "?" + query;
  if (!fragment.empty()) text += "#" + fragment;
  return text;
}

Result<Url> ParseUrl(std::string_view text) {
  UrlHandle handle(curl_url());
  std::string copy(text);
  // An embedded NUL would hide the rest from libcurl.
  bool readable = copy.find('\0') == std::string::npos;
  CURLUcode code = CURLUE_MALFORMED_INPUT;
  if (readable) code = curl_url_set(handle.get(), CURLUPART_URL, copy.c_str(), kParseFlags);
  if (code != CURLUE_OK) {
    return FailInvalid(
        "\"{}\" is not a URL ({}): write "
        "https://HOST[:PORT]",
        Printable(text), curl_url_strerror(code));
  }
  return Read(handle.get(), text);
}

Result<Url> ResolveUrl(const Url& base, std::string_view reference) {
  UrlHandle handle(curl_url());
  CURLUcode code = curl_url_set(handle.get(), CURLUPART_URL, base.ToString().c_str(), kParseFlags);
  std::string copy(reference);
  if (copy.empty() || copy.find('\0') != std::string::npos) code = CURLUE_MALFORMED_INPUT;
  if (code == CURLUE_OK) {
    code = curl_url_set(handle.get(), CURLUPART_URL, copy.c_str(), kParseFlags);
  }
  if (code != CURLUE_OK) {
    return FailInvalid("\"{}\" is not a URL or a path ({})", Printable(reference),
                       curl_url_strerror(code));
  }
  return Read(handle.get(), reference);
}

std::string PlaceOf(const Url& url) { return url.Origin() + url.path; }

bool IsLoopbackHost(std::string_view host) {
  // A host name may begin with 127, but no host name ends in a number.
  bool address = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || host == "[::1]" || host == "::1" ||
         (address && host.starts_with("127."));
}

}  // namespace koya::http
