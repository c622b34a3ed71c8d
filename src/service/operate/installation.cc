#include "service/operate/installation.h"

#include <span>
#include <utility>

#include "auth/token.h"
#include "base/encoding.h"
#include "base/secrets.h"
#include "base/sha256.h"
#include "catalog/replica_catalog.h"

namespace koya::service {
namespace {

// Keeps this key apart from whatever else is derived from server.secret.
constexpr std::string_view kInstallationPurpose = "koya installation, 1";

}  // namespace

std::string SecretMark(std::string_view server_secret, std::string_view id) {
  Sha256Bytes key = HmacSha256(std::as_bytes(std::span(server_secret)), {kInstallationPurpose});
  std::string mark = Base64UrlEncode(HmacSha256(key, {id}));
  WipeSecret(key);
  return mark;
}

InstallationCheck::InstallationCheck(InstallationCatalog& catalog, std::string secret,
                                     std::string previous)
    : catalog_(catalog), secret_(std::move(secret)), previous_(std::move(previous)) {}

InstallationCheck::~InstallationCheck() {
  WipeSecret(secret_);
  WipeSecret(previous_);
}

Task<Installation> InstallationCheck::FindInstallation() {
  Installation made{.id = auth::RandomId(), .secret_mark = {}};
  made.secret_mark = SecretMark(secret_, made.id);
  co_return co_await catalog_.AdoptInstallation(std::move(made));
}

Task<std::string> InstallationCheck::Check(std::string secret_file) {
  ASSIGN_OR_CO_RETURN(Installation found, co_await FindInstallation());
  const bool right = EqualSecrets(SecretMark(secret_, found.id), found.secret_mark);
  const bool was_right =
      !previous_.empty() && EqualSecrets(SecretMark(previous_, found.id), found.secret_mark);
  if (right || was_right) co_return std::move(found.id);
  co_return FailRefused(
      "the catalog belongs to servers with another secret than this one's, which is read from "
      "{}: set server.secret to theirs, or put the file server.secret of one of their data "
      "folders there. If the secret was replaced, set server.secret_previous to the previous "
      "one, and run koya admin reseal. If it is lost, koya admin forget-secret accepts this "
      "one, but sealed data stays unreadable",
      secret_file);
}

Task<void> InstallationCheck::Reseal() {
  ASSIGN_OR_CO_RETURN(Installation found, co_await FindInstallation());
  std::string mark = SecretMark(secret_, found.id);
  if (mark == found.secret_mark) co_return Status();
  co_return co_await catalog_.MarkInstallation(std::move(found.secret_mark), std::move(mark));
}

}  // namespace koya::service
