// Opens the catalog that a URL names. The only header of catalog/sql that others include.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "catalog/catalog.h"

namespace koya {

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
  // SQLite only. false: commits do not wait for the disk, and a power cut may damage the file. For
  // filling catalogs of tests and benchmarks.
  bool durable = true;
  // SQLite only: the largest size of the file, in pages of 4096 bytes. 0: as the disk allows.
  std::uint64_t max_pages = 0;
};

// Opens, checks and migrates the catalog. Blocks: for starting up. A SQLite file belongs to one
// server at a time, which holds PATH.lock; any number share a PostgreSQL database.
// Fails, with a message for the operator: kInvalid (the URL), kUnavailable (held by another server,
// or the database does not answer), kCorrupt (damaged; the file was not touched), kRefused
// (written by a newer koya), kStorageFull, kInternal.
Result<std::unique_ptr<Catalog>> OpenCatalog(CatalogOptions options);

}  // namespace koya
