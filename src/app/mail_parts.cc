#include "app/mail_parts.h"

#include <fmt/format.h>

#include <optional>
#include <stop_token>
#include <utility>

#include "app/mirror_parts.h"
#include "app/private_file.h"
#include "base/offload.h"
#include "http/client/mail_sender.h"
#include "upstream/upstream_options.h"

namespace koya {
namespace {

Result<http::MailServer> MailServerOf(const Settings& settings) {
  http::MailServer server{.url = settings.mail.smtp,
                          .user = settings.mail.user,
                          .password = {},
                          .ca_file = UpstreamOptionsOf(settings).ca_file};
  if (settings.mail.password_file.empty()) return server;
  Result<std::string> text = ReadSmallFile(settings.mail.password_file);
  if (text) server.password = text->substr(0, text->find_last_not_of(" \t\r\n") + 1);
  if (!server.password.empty()) return server;
  return FailInvalid("the file {} of mail.password_file holds no password that can be read",
                     settings.mail.password_file.string());
}

}  // namespace

struct MailParts::Impl {
  http::MailServer server;
  std::string from;
  std::stop_source stop;
  WorkerPool worker{1};
  std::optional<service::MailNotices> notices;

  Task<void> Send(std::string to, std::string text) {
    http::MailMessage message{.from = from, .to = std::move(to), .text = std::move(text)};
    co_return co_await Offload(
        worker, [this, &message] { return http::SendMail(server, message, stop.get_token()); });
  }
};

MailParts::MailParts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MailParts::~MailParts() { Stop(); }

Result<std::unique_ptr<MailParts>> MailParts::Create(
    const Settings& settings, service::MailNotices::Parts parts, std::function<std::string()> url,
    std::function<std::string(std::string_view account_id)> end_path) {
  if (settings.mail.smtp.empty()) return nullptr;
  auto impl = std::make_unique<Impl>();
  ASSIGN_OR_RETURN(impl->server, MailServerOf(settings));
  impl->from = settings.mail.from;
  service::MailSetup setup{.from = settings.mail.from,
                           .url = std::move(url),
                           .send =
                               [&impl = *impl](std::string to, std::string text) {
                                 return impl.Send(std::move(to), std::move(text));
                               },
                           .end_path = std::move(end_path)};
  impl->notices.emplace(parts, std::move(setup));
  return std::unique_ptr<MailParts>(new MailParts(std::move(impl)));
}

service::MailNotices& MailParts::notices() { return *impl_->notices; }

void MailParts::Stop() { impl_->stop.request_stop(); }

}  // namespace koya
