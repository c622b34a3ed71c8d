// The parts of a server that settings turn on: external authentication (sign-in providers, and
// trusted CI), mail, and links to the other servers on its database.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/common/call.h"
#include "app/settings.h"
#include "app/stores.h"
#include "base/clock.h"
#include "base/result.h"
#include "obs/metrics.h"
#include "peers/peer_keys.h"
#include "service/operate/mail_notices.h"
#include "signing/sealer.h"

namespace koya::service {
struct ClusterLinks;
class Leases;
}  // namespace koya::service

namespace koya {

// Owns the clients of issuers and their threads, which the destructor joins.
class IdentityParts {
 public:
  // All arguments must outlive this. Fails: kInvalid for settings that cannot be used.
  static Result<std::unique_ptr<IdentityParts>> Create(const Settings& settings,
                                                       const Stores& stores,
                                                       const signing::Sealer& sealer,
                                                       const Clock& clock);
  ~IdentityParts();

  // The services refer to this.
  api::IdentityServices services();
  // Makes everything that waits for an issuer fail soon.
  void Stop();

 private:
  struct Impl;
  explicit IdentityParts(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Sends mail by the settings mail.*. Owns the thread that blocks for the mail server; the
// destructor joins it. Threads: as service::MailNotices; Stop from any.
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

// What a server shares with the other servers on its database: the leases of downloads, the
// listener that serves its running downloads, and the client that reads theirs.
class PeerParts {
 public:
  // Binds cluster.listen, if it is set. All arguments must outlive this. `clock` is the database's.
  // Fails: kInvalid, kUnavailable (the port is taken), naming the setting.
  static Result<std::unique_ptr<PeerParts>> Create(const Settings& settings, peers::PeerKeys keys,
                                                   service::Leases& leases, const Clock& clock);
  ~PeerParts();
  PeerParts(const PeerParts&) = delete;
  PeerParts& operator=(const PeerParts&) = delete;

  // For the mirror, which must not outlive this. Null when the catalog has only this server.
  const service::ClusterLinks* links() const;
  // Starts to serve. Fails: as Create.
  Status Start();
  // Stops; running readers have a second to finish.
  void Stop();
  // koya_peer_…
  void AddMetrics(Metrics& metrics);

 private:
  struct Impl;
  explicit PeerParts(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
