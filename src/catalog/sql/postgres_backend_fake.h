// For the catalog's suites: a catalog in a PostgreSQL database of its own.
#pragma once

#include <memory>
#include <string>

#include "catalog/catalog_suite_base.h"
#include "catalog/postgres_fixture_fake.h"
#include "catalog/sql/open_catalog.h"

namespace koya {

struct PostgresBackend : CatalogBackend {
  PostgresBackend() : server(PostgresServer::Shared(&reason)) {
    if (server == nullptr) return;
    url = server->MakeDatabase();
    opened = Open();
  }
  Result<std::unique_ptr<Catalog>> Open() const {
    return OpenCatalog({.url = url, .read_timeout = kPatience, .write_timeout = kPatience});
  }
  std::string SkipReason() const override { return reason; }
  Catalog& catalog() override { return *opened.value(); }

  std::string reason;
  PostgresServer* server;
  std::string url;
  Result<std::unique_ptr<Catalog>> opened = Fail(ErrorKind::kUnavailable, "not opened");
};

}  // namespace koya
