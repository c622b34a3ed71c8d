// Checks that a server belongs to the installation of its catalog: all servers on one catalog must
// have one secret.
//
// Data sealed with another secret cannot be opened, and URLs and sessions of one server would be
// denied by the next. So the catalog stores a mark of the secret, which shows whether a server has
// the right one and reveals nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"

namespace koya {
struct Installation;
class InstallationCatalog;
}  // namespace koya

namespace koya::service {

// Mark of the installation's id, made with a key that is derived from the secret.
std::string SecretMark(std::string_view server_secret, std::string_view id);

class InstallationCheck {
 public:
  // `catalog` must outlive this. `previous`: the previous secret; "": none.
  InstallationCheck(InstallationCatalog& catalog, std::string secret, std::string previous);
  ~InstallationCheck();
  InstallationCheck(const InstallationCheck&) = delete;
  InstallationCheck& operator=(const InstallationCheck&) = delete;

  // Creates the catalog's installation if there is none. Also accepts the previous secret: during a
  // rotation some servers have the new one and some do not. `secret_file`: the file with this
  // server's secret, for the error message. Returns the installation's id. Fails: kRefused: the
  // secret is another.
  Task<std::string> Check(std::string secret_file);
  // SecretMark with this server's secret.
  std::string MarkOf(std::string_view id) const { return SecretMark(secret_, id); }
  // From now on accepts the previous secret only from servers that declare it as such. Call when
  // nothing sealed with it is left.
  Task<void> Reseal();

 private:
  Task<Installation> FindInstallation();

  InstallationCatalog& catalog_;
  std::string secret_;
  std::string previous_;
};

}  // namespace koya::service
