// Inventory of the packages of other registries, for administrators: lists, the documents of a
// release, deletion of cached bytes, and imports. Checks are in verify.h.
#pragma once

#include "base/result.h"
#include "domain/upstream_record.h"
#include "domain/version.h"
#include "service/mirror/inventory.h"
#include "wire/inventory.h"

namespace koya::service {
struct ModuleId;
struct PackageId;
}  // namespace koya::service

namespace koya::api {

struct Call;

// The release or module in the path, parsed strictly; the host in Unicode or punycode. Fails:
// kInvalid, with the expected form.
struct InventoryReleaseId {
  UpstreamProvider provider;
  Version version;
};
// {hostname} and {namespace}. Fails: kNotFound.
struct MirroredNamespace {
  HostName host;
  std::string ns;
};
Result<MirroredNamespace> MirroredNamespaceFromPath(const Call& call);
Result<InventoryReleaseId> InventoryReleaseFromPath(const Call& call);
Result<service::PackageId> InventoryPackageFromPath(const Call& call);
Result<service::ModuleId> InventoryModuleFromPath(const Call& call);

wire::InventoryRelease ToWire(const UpstreamRelease& release);
wire::InventoryModule ToWire(const UpstreamModuleVersion& version);

}  // namespace koya::api
