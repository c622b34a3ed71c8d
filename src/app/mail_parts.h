// Builds what sends mail from the settings mail.*.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/settings.h"
#include "base/result.h"
#include "service/operate/mail_notices.h"

namespace koya {

// Owns the thread that blocks for the mail server; the destructor joins it. Threads: as
// service::MailNotices; Stop from any.
class MailParts {
 public:
  // `parts` as of service::MailNotices. nullptr: mail.smtp is off. Fails: kInvalid:
  // mail.password_file cannot be read.
  static Result<std::unique_ptr<MailParts>> Create(
      const Settings& settings, service::MailNotices::Parts parts, std::function<std::string()> url,
      std::function<std::string(std::string_view account_id)> end_path);
  ~MailParts();

  service::MailNotices& notices();
  // Makes an exchange with the mail server fail soon, and later ones at once.
  void Stop();

 private:
  struct Impl;
  explicit MailParts(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
