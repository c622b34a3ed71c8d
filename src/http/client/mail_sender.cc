#include "http/client/mail_sender.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/handle.h"
#include "base/text.h"
#include "http/client/client.h"
#include "http/url.h"

namespace koya::http {
namespace {

constexpr std::chrono::milliseconds kMailConnectTimeout{10'000};

struct Sending {
  std::string_view rest;
  const std::stop_token& stop;
};

std::size_t OnMailRead(char* buffer, std::size_t size, std::size_t count, void* context) {
  auto& sending = *static_cast<Sending*>(context);
  const std::size_t length = std::min(size * count, sending.rest.size());
  std::memcpy(buffer, sending.rest.data(), length);
  sending.rest.remove_prefix(length);
  return length;
}

int OnMailProgress(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Sending*>(context)->stop.stop_requested() ? 1 : 0;
}

// The server's last code: of "RCPT failed: 451", or the one that libcurl keeps, which may be that
// of QUIT by now.
long CodeOf(CURL* handle, std::string_view words) {
  long response = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &response);
  const std::size_t colon = words.rfind(": ");
  if (colon == words.npos) return response;
  const std::string_view number = words.substr(colon + 2);
  long said = 0;
  std::from_chars(number.data(), number.data() + number.size(), said);
  return said >= 400 && said < 600 ? said : response;
}

// What the server, or libcurl, said.
Failure MailFailure(CURL* handle, CURLcode code, std::string_view words, std::string_view url) {
  const long response = CodeOf(handle, words);
  const std::string said = Printable(words.empty() ? curl_easy_strerror(code) : words, 300);
  const std::string detail = fmt::format("libcurl {}, SMTP {}", static_cast<int>(code), response);
  if (code == CURLE_OPERATION_TIMEDOUT) {
    return Fail(ErrorKind::kTimeout, fmt::format("the mail server {} was too slow: {}", url, said),
                detail);
  }
  if (code == CURLE_LOGIN_DENIED) {
    return Fail(
        ErrorKind::kUnavailable,
        fmt::format("the mail server {} does not accept mail.user and its password: {}", url, said),
        detail);
  }
  if (code == CURLE_USE_SSL_FAILED) {
    return Fail(ErrorKind::kUnavailable,
                fmt::format("the mail server {} offers no STARTTLS, and nothing is sent without "
                            "TLS: set mail.smtp to a server that offers it, or to smtps://",
                            url),
                detail);
  }
  const bool was_answered = code == CURLE_SEND_ERROR || code == CURLE_WEIRD_SERVER_REPLY ||
                            code == CURLE_RECV_ERROR || code == CURLE_REMOTE_ACCESS_DENIED;
  if (was_answered && response >= 500 && response < 600) {
    return Fail(ErrorKind::kRefused,
                fmt::format("the mail server {} refuses the mail: {}", url, said), detail);
  }
  if (was_answered && response >= 400 && response < 500) {
    return Fail(ErrorKind::kThrottled,
                fmt::format("the mail server {} takes the mail later: {}", url, said), detail);
  }
  return Fail(ErrorKind::kUnavailable, fmt::format("no mail can be sent by {}: {}", url, said),
              detail);
}

void SetMailServer(CURL* handle, const MailServer& server, bool is_loopback) {
  curl_easy_setopt(handle, CURLOPT_URL, server.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_USE_SSL,
                   static_cast<long>(is_loopback ? CURLUSESSL_NONE : CURLUSESSL_ALL));
  const std::string& ca_file = server.ca_file.empty() ? SystemCaFile() : server.ca_file;
  if (!ca_file.empty()) curl_easy_setopt(handle, CURLOPT_CAINFO, ca_file.c_str());
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (server.user.empty()) return;
  curl_easy_setopt(handle, CURLOPT_USERNAME, server.user.c_str());
  curl_easy_setopt(handle, CURLOPT_PASSWORD, server.password.c_str());
}

void SetMailLimits(CURL* handle, const MailServer& server) {
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &OnMailProgress);
  curl_easy_setopt(handle, CURLOPT_READFUNCTION, &OnMailRead);
  curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(kMailConnectTimeout.count()));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(server.timeout.count()));
}

}  // namespace

Status SendMail(const MailServer& server, const MailMessage& message, std::stop_token stop) {
  ASSIGN_OR_RETURN(Url url, ParseUrl(server.url));
  Handle<CURL, curl_easy_cleanup> handle(curl_easy_init());
  Handle<curl_slist, curl_slist_free_all> to(curl_slist_append(nullptr, message.to.c_str()));
  if (!handle || !to) return Fail(ErrorKind::kInternal, "no mail can be sent: no memory");
  std::array<char, CURL_ERROR_SIZE> words{};
  Sending sending{message.text, stop};
  const std::string from = "<" + message.from + ">";
  SetMailServer(handle.get(), server, url.scheme == "smtp" && IsLoopbackHost(url.host));
  SetMailLimits(handle.get(), server);
  curl_easy_setopt(handle.get(), CURLOPT_ERRORBUFFER, words.data());
  curl_easy_setopt(handle.get(), CURLOPT_XFERINFODATA, &sending);
  curl_easy_setopt(handle.get(), CURLOPT_READDATA, &sending);
  curl_easy_setopt(handle.get(), CURLOPT_MAIL_FROM, from.c_str());
  curl_easy_setopt(handle.get(), CURLOPT_MAIL_RCPT, to.get());
  const CURLcode code = curl_easy_perform(handle.get());
  if (code == CURLE_OK) return {};
  return MailFailure(handle.get(), code, words.data(), server.url);
}

}  // namespace koya::http
