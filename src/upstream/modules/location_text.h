// The parts of a go-getter address, before anybody knows what kind it is. Pure functions: any
// thread. Failures are kBadUpstream and say only why; who calls says of what.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace koya::upstream {

// "https://example.com/a.zip//sub?x=1": place, folder and query. The fragment is dropped.
struct AddressText {
  std::string place;   // "https://example.com/a.zip"
  std::string folder;  // "sub", as it was written
  std::string query;   // "x=1"
};
AddressText SplitAddress(std::string_view text);

// "https" of "https://…"; "" when there is none.
std::string SchemeOf(std::string_view place);

// The parameters of a query. Those that nobody takes stay as they were written.
class AddressQuery {
 public:
  explicit AddressQuery(std::string_view query);

  // The decoded value of `name`, which is then gone; nothing when it is not there. Fails when it is
  // there twice: what each reader takes would be another.
  Result<std::optional<std::string>> Take(std::string_view name);
  std::string ToString() const;
  // The decoded name of the first that is left; "" for none.
  std::string FirstName() const;

 private:
  std::vector<std::string> pieces_;
};

// "user:password" of "https://user:password@host/…", nothing when there is no "@", and the place
// without it.
struct Authority {
  std::optional<std::string> user_info;
  std::string place;
};
Authority SplitUserInfo(std::string_view place);

// True when `place` has a scheme and a host that every reader finds at the same place: two slashes,
// nothing escaped. libcurl forgives more: it takes a path's first part for a host, and decodes.
bool HasPlainHost(std::string_view place);

// A folder as it was written, as in FetchedModule: "./modules//vpc/" is "modules/vpc". Fails for
// "..", for patterns other than a first part "*", and for what no archive may hold.
Result<std::string> NormalFolder(std::string_view written);

// Fails unless `ref` may stand in a git command as a branch, a tag or a commit, and nowhere means
// anything else: an option, a range, a refspec.
Status CheckGitRef(std::string_view ref);

}  // namespace koya::upstream
