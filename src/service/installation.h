// Which installation a server belongs to: servers on one catalog must have one secret.
//
// What was sealed with another secret cannot be opened, and URLs and sessions of one server would
// be refused by the next. So the catalog keeps a mark of the secret, which tells whether a server
// has the right one and nothing else.
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

// Of an installation's id, with a key that follows from the secret.
std::string SecretMark(std::string_view server_secret, std::string_view id);

class InstallationCheck {
 public:
  // `catalog` must outlive this. `previous`: "" for none.
  InstallationCheck(InstallationCatalog& catalog, std::string secret, std::string previous);
  ~InstallationCheck();
  InstallationCheck(const InstallationCheck&) = delete;
  InstallationCheck& operator=(const InstallationCheck&) = delete;

  // Makes the catalog's installation if there is none. The secret before this one counts, too:
  // while servers are given a new one, some have it and some do not. `secret_file`: where this
  // server's secret is read from, for the message. Returns the installation's id. Fails: kRefused:
  // with another secret.
  Task<std::string> Check(std::string secret_file);
  // From now on the secret before this one counts for those only who name it as such. To be called
  // when nothing is left that it sealed.
  Task<void> Reseal();

 private:
  Task<Installation> Find();

  InstallationCatalog& catalog_;
  std::string secret_;
  std::string previous_;
};

}  // namespace koya::service
