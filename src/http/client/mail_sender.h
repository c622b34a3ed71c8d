// Sends one mail to a mail server over SMTP, with libcurl. Blocks; any thread.
//
// A server beyond this machine must speak TLS, from the start (smtps://) or by STARTTLS (smtp://),
// with a certificate that is verified: else nothing is sent, neither the mail nor the password.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace koya::http {

struct MailServer {
  std::string url;       // "smtp://mail.example.com:587", "smtps://mail.example.com"
  std::string user;      // "": no sign-in
  std::string password;  // of that user
  std::string ca_file;   // as ClientOptions::ca_file
  std::chrono::milliseconds timeout{30'000};  // for all of it
};

struct MailMessage {
  std::string from;  // addresses, without line ends and angle brackets
  std::string to;
  std::string text;  // header and body, lines end with CRLF
};

// Fails: kThrottled: the server wants to be asked later (4xx); kRefused: it does not take this mail
// (5xx); kTimeout; kUnavailable: no connection, no TLS, an untrusted certificate, another password.
Status SendMail(const MailServer& server, const MailMessage& message, std::stop_token stop);

}  // namespace koya::http
