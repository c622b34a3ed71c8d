// The entry points of the program: the server, the text of its API, and the maintenance of a
// catalog by hand, without a server on it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/settings.h"
#include "base/result.h"
#include "catalog/sql/open_catalog.h"

namespace koya {

// Serves until SIGTERM or SIGINT, then drains. Calls `announce` once with "koya: ready URL" when
// the server accepts requests. Blocks. Fails: any error that keeps the server from serving, worded
// for the operator.
Status Serve(const LoadedSettings& settings,
             const std::function<void(std::string_view line)>& announce);

// The text of docs/api.md, made from the route table.
std::string ApiMarkdown();

// Runs the missing migrations of the settings' catalog; `contract`: also those that a running
// server does not know. Blocks. Fails: as OpenCatalog.
Result<SchemaReport> MigrateSchema(const Settings& settings, bool contract);

// Writes the settings' SQLite catalog again without its free pages. Blocks. Fails: as
// koya::CompactCatalog.
Result<CatalogSizes> CompactCatalog(const Settings& settings);

// Makes the catalog accept only servers with this server's secret from now on. Data that was sealed
// with the previous secret stays sealed. Blocks. Fails: as OpenCatalog and LoadServerSecret.
Status TakeSecret(const Settings& settings);

// Makes the bucket of blobs.url belong to this catalog, whatever catalog owned it before. Blocks.
// Returns its name, as Bucket::where(). Fails: kInvalid: blobs.url names no bucket, or a setting
// does not fit it; kUnavailable; as OpenCatalog and LoadServerSecret.
Result<std::string> AdoptBucket(const Settings& settings);

// A server for one command of this process, on the data of a stopped server: the same parts,
// listening on a loopback port, without TLS, metrics and access log. So commands work in one way,
// whether a server runs or not. It logs warnings only.
class LocalServer {
 public:
  // Fails: as OpenStores, so also while a server runs on the data.
  static Result<std::unique_ptr<LocalServer>> Start(const Settings& settings);
  ~LocalServer();  // lets running requests finish
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  const std::string& url() const;    // "http://127.0.0.1:34567"
  const std::string& token() const;  // permits everything; valid while this lives

 private:
  struct Impl;
  explicit LocalServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
