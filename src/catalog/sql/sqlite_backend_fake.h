// For the catalog's suites: a catalog in a SQLite file of its own.
#pragma once

#include <memory>

#include "base/temp_folder_fake.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/catalog_suite_base.h"
#include "catalog/sql/open_catalog.h"

namespace koya {

struct SqliteBackend : CatalogBackend {
  explicit SqliteBackend(bool durable = true)
      : opened(OpenCatalog({.url = MigratedSqlite(folder / "koya.db"),
                            .read_timeout = kPatience,
                            .write_timeout = kPatience,
                            .durable = durable})) {}
  Catalog& catalog() override { return *opened.value(); }

  TempFolder folder;
  Result<std::unique_ptr<Catalog>> opened;
};

}  // namespace koya
