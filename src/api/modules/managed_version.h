// A version of a module or provider that a user wants to deprecate, withdraw or restore.
#pragma once

#include <string>
#include <variant>

#include "base/task.h"
#include "domain/access.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "domain/version.h"

namespace koya::web {
struct VersionName;
struct WithdrawPage;
}  // namespace koya::web

namespace koya::api {

struct Call;

enum class Versioned { kModule, kProvider };

struct ManagedVersion {
  std::variant<ModuleAddress, ProviderAddress> address;
  Version version;
  bool is_here = false;
  bool is_only = false;     // no other version exists
  std::string deprecation;  // the message for its users; "": none

  // For display.
  web::VersionName Name() const;
};

// The version in the path, if the caller has the role `needed` in its namespace; the
// version need not exist. Fails: kNotFound: the role is missing, or the path names nothing that
// could exist; as the catalog.
Task<ManagedVersion> FindManagedVersion(Call& call, Versioned kind, Role needed);

// Do the same as the API. Fail: as service::Modules and Providers.
Task<void> DeprecateManaged(Call& call, const ManagedVersion& managed, std::string message);
Task<void> WithdrawManaged(Call& call, const ManagedVersion& managed, std::string reason,
                           std::string successor);
Task<void> RestoreManaged(Call& call, const ManagedVersion& managed, std::string reason);

// The page with the users of the version, who would miss it. Fails: as the catalog; kNotFound:
// nothing of it is left here.
Task<web::WithdrawPage> WithdrawPageOf(Call& call, const ManagedVersion& managed);

}  // namespace koya::api
