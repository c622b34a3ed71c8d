// What is kept of other registries, for those who look after it: lists, the documents of a release,
// and letting go. Checks are in verify.h.
#pragma once

#include "api/call.h"
#include "wire/mirror_stock.h"

namespace koya::api {

// The release or module in the path's first parameters, strictly; the host in Unicode or punycode.
// Fails: kInvalid, saying what to write.
struct StockReleaseId {
  UpstreamProvider provider;
  Version version;
};
Result<StockReleaseId> StockReleaseFromPath(const Call& call);
Result<service::PackageId> StockPackageFromPath(const Call& call);
Result<service::ModuleId> StockModuleFromPath(const Call& call);

wire::StockRelease ToWire(const UpstreamRelease& release);
wire::StockModule ToWire(const UpstreamModuleVersion& version);

// GET /api/v1/mirror/providers and …/modules: everything that is pinned, page by page.
Task<http::Response> ListStockReleases(Call& call);
Task<http::Response> ListStockModules(Call& call);
// GET …/{version}/release
Task<http::Response> GetStockDocuments(Call& call);
// GET …/modules/{…}/{version}: the archive
Task<http::Response> GetStockModule(Call& call);

// DELETE: forgets the bytes, not what is pinned.
Task<http::Response> ReleaseStockPackage(Call& call);
Task<http::Response> ReleaseStockModule(Call& call);

}  // namespace koya::api
