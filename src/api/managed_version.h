// A version of a module or provider that somebody who is signed in would deprecate or withdraw.
#pragma once

#include <string>
#include <variant>

#include "auth/principal.h"
#include "base/task.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "domain/role.h"
#include "domain/version.h"

namespace koya::web {
struct VersionName;
struct WithdrawPage;
}  // namespace koya::web

namespace koya::api {

struct Call;
class Visit;

enum class Versioned { kModule, kProvider };

struct ManagedVersion {
  auth::Principal by;
  std::variant<ModuleAddress, ProviderAddress> address;
  Version version;
  bool is_here = false;
  bool is_only = false;     // the only one
  std::string deprecation;  // as its users are told; "": nothing

  // As it is shown.
  web::VersionName Name() const;
};

// The version that the path names, if whoever is signed in has that role in its namespace; it need
// not be here. REQUIRES: visit.visitor(). Fails: kNotFound: they have not, or the path names
// nothing that could be; as the catalog.
Task<ManagedVersion> FindManagedVersion(Call& call, const Visit& visit, Versioned kind,
                                        Role needed);

// As the API does it. Fails: as service::Modules and Providers.
Task<void> DeprecateManaged(Call& call, const ManagedVersion& managed, std::string message);
Task<void> WithdrawManaged(Call& call, const ManagedVersion& managed, std::string reason,
                           std::string successor);

// Who would miss it. Fails: as the catalog; kNotFound: nothing of it is here any more.
Task<web::WithdrawPage> WithdrawPageOf(Call& call, const ManagedVersion& managed);

}  // namespace koya::api
