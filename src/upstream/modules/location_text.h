// Splits a go-getter address into parts, before its kind is known. Pure functions: any thread.
// Failures are kBadUpstream and give only the reason; the caller adds the subject.
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
  std::string folder;  // "sub", as written
  std::string query;   // "x=1"
};
AddressText SplitAddress(std::string_view text);

// "https" of "https://…"; "" when there is none.
std::string SchemeOf(std::string_view place);

// The parameters of a query. Parameters that are not taken stay as written.
class AddressQuery {
 public:
  explicit AddressQuery(std::string_view query);

  // Removes and returns the decoded value of `name`; nullopt if it is not there. Fails if it occurs
  // twice: readers differ in which one they use.
  Result<std::optional<std::string>> TakeParameter(std::string_view name);
  std::string ToString() const;
  // The decoded name of the first remaining parameter; "" if there is none.
  std::string FirstName() const;

 private:
  std::vector<std::string> pieces_;
};

// "user:password" of "https://user:password@host/…", nullopt if there is no "@", and the place
// without it.
struct Authority {
  std::optional<std::string> user_info;
  std::string place;
};
Authority SplitUserInfo(std::string_view place);

// True if `place` has a scheme and a host that every reader finds at the same position: two
// slashes, no escapes. libcurl is more lenient: it takes the first part of a path for a host, and
// decodes.
bool HasPlainHost(std::string_view place);

// Normalises a folder, as in FetchedModule: "./modules//vpc/" is "modules/vpc". Fails for "..", for
// patterns other than a first part "*", and for names that no archive may contain.
Result<std::string> NormalFolder(std::string_view written);

// Fails unless `ref` may stand in a git command as a branch, a tag or a commit, and never means
// anything else: an option, a range, a refspec.
Status CheckGitRef(std::string_view ref);

}  // namespace koya::upstream
