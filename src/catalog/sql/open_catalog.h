// Opens the catalog that a URL names. The only header of catalog/sql that others include.
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

// Of the steps that a catalog's schema lacked.
struct SchemaReport {
  std::vector<std::string> taken;    // names, in order
  std::vector<std::string> waiting;  // those left for later: a server that runs does not know them
};

struct CatalogOptions {
  // "sqlite:PATH", a file that is made at need (its folder must exist), or
  // "postgresql://USER:PASSWORD@HOST:PORT/DATABASE", anything libpq takes.
  std::string url;
  // Connections, each with a thread. SQLite has one writer whatever this says.
  std::size_t readers = 4;
  std::size_t writers = 2;
  // How long a question, and a change, may take, from being asked to being answered. What takes
  // longer fails with kUnavailable; a change that was cut off may have been made all the same.
  std::chrono::milliseconds read_timeout{5000};
  std::chrono::milliseconds write_timeout{10'000};
  // Blobs lie in a remote store: what records references to them renews their objects (BlobLedger),
  // and is refused when there are none.
  bool blob_ledger = false;
  // Whether what is missing of the schema is made by who opens the catalog. PostgreSQL only: the
  // file of SQLite belongs to one server, which has nobody to wait for.
  enum class Migrate { kAuto, kWait };
  Migrate migrate = Migrate::kAuto;
  // Told what became of the schema, unless nothing did.
  std::function<void(const SchemaReport&)> on_migrated{};
  // SQLite only. false: commits do not wait for the disk, and a power cut may damage the file. For
  // filling catalogs of tests and benchmarks.
  bool durable = true;
  // SQLite only: the largest size of the file, in pages of 4096 bytes. 0: as the disk allows.
  std::uint64_t max_pages = 0;
};

// Opens, checks and migrates the catalog. Blocks: for starting up. A SQLite file belongs to one
// server at a time, which holds PATH.lock; any number share a PostgreSQL database.
// Fails, with a message for the operator: kInvalid (the URL), kUnavailable (held by another server,
// or the database does not answer, or it lacks steps of the schema that are not to be taken here:
// later may do), kCorrupt (damaged; the file was not touched), kRefused (written by a newer koya),
// kStorageFull, kInternal; kInvalid, too, when PostgreSQL refuses the user or has no such database.
Result<std::unique_ptr<Catalog>> OpenCatalog(CatalogOptions options);

// Why waiting for the database would not mend it: PostgreSQL refuses the user, or has no such
// database. nullopt: it would have us, does not answer, or is SQLite. For the operator of a server
// that lost its database while it started. Blocks, as long as connecting may take.
std::optional<Error> WhyCatalogRefuses(const std::string& url);

// The last step of the schema that this program knows.
std::int64_t KnownSchemaStep();

// Takes the steps of the schema that are missing, `contract`: also those that a running server does
// not know. Blocks. Fails: as OpenCatalog.
Result<SchemaReport> MigrateCatalog(const CatalogOptions& options, bool contract);

}  // namespace koya
