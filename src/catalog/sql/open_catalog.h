// Opens the catalog that a URL names. The only header of catalog/sql that other folders include.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace koya {

class Catalog;

// Migrations that a catalog's schema lacked.
struct SchemaReport {
  std::vector<std::string> taken;    // names, in order
  std::vector<std::string> waiting;  // deferred: a running server does not know them
};

struct CatalogOptions {
  // "sqlite:PATH", a file that is created if needed (its folder must exist), or
  // "postgresql://USER:PASSWORD@HOST:PORT/DATABASE", anything libpq takes.
  std::string url;
  // Connections, each with a thread. SQLite always has one writer.
  std::size_t readers = 4;
  std::size_t writers = 2;
  // Timeouts of a read and of a write, from request to result. A call that takes longer fails with
  // kUnavailable; a write that was cut off may have been committed all the same.
  std::chrono::milliseconds read_timeout{5000};
  std::chrono::milliseconds write_timeout{10'000};
  // Blobs lie in a remote store: transactions that record references to them renew their objects
  // (BlobLedger), and fail when there are none.
  bool blob_ledger = false;
  // Whether opening the catalog runs missing migrations. PostgreSQL only: a SQLite file belongs to
  // one server, which has no other to wait for.
  enum class Migrate { kAuto, kWait };
  Migrate migrate = Migrate::kAuto;
  // Called with the outcome of the migrations, unless there is nothing to report.
  std::function<void(const SchemaReport&)> on_migrated{};
  // SQLite only. false: commits do not wait for the disk, and a power cut may damage the file. For
  // filling catalogs of tests and benchmarks.
  bool durable = true;
  // SQLite only: the largest size of the file, in pages of 4096 bytes. 0: as the disk allows.
  std::uint64_t max_pages = 0;
};

// Opens, checks and migrates the catalog. Blocks: for startup. A SQLite file belongs to one server
// at a time, which holds PATH.lock; any number share a PostgreSQL database.
// Fails, with a message for the operator: kInvalid (the URL), kUnavailable (held by another server,
// or the database does not respond, or it lacks migrations that must not run here: may succeed
// later), kCorrupt (damaged; the file was not touched), kRefused (written by a newer koya),
// kStorageFull, kInternal; kInvalid, too, when PostgreSQL refuses the user or has no such database.
Result<std::unique_ptr<Catalog>> OpenCatalog(CatalogOptions options);

// Why waiting for the database would not help: PostgreSQL refuses the user, or has no such
// database. nullopt: it would accept us, does not respond, or is SQLite. For the operator of a
// server that lost its database during startup. Blocks as long as connecting may take.
std::optional<Error> WhyCatalogRefuses(const std::string& url);

// Bytes that a catalog takes.
struct CatalogSizes {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};
// Writes a SQLite catalog again without its free pages (CompactSqliteFile). Blocks. Fails:
// kRefused for PostgreSQL, which does this by itself; kUnavailable while a server uses the file;
// kStorageFull, kCorrupt, kNotFound, kInternal: the catalog is unchanged.
Result<CatalogSizes> CompactCatalog(const CatalogOptions& options);

// The last migration that this program knows.
std::int64_t KnownSchemaStep();

// Runs the missing migrations; `contract`: also those that a running server does not know. Blocks.
// Fails: as OpenCatalog.
Result<SchemaReport> MigrateCatalog(const CatalogOptions& options, bool contract);

}  // namespace koya
