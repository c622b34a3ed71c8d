// For the catalog's suites: a catalog in a SQLite file of its own, or in a PostgreSQL database of
// its own.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/temp_folder_fake.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/catalog_suite_base.h"
#include "catalog/postgres_fixture_fake.h"
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

// Databases with today's schema and nothing in them, which the tests of a program have in turn: to
// make one takes longer than most tests, and its files longer still to go.
class MigratedDatabases {
 public:
  static std::string Take(PostgresServer& server) {
    if (idle_.empty()) return Make(server);
    std::string url = std::move(idle_.back());
    idle_.pop_back();
    return url;
  }
  // REQUIRES: it is not in use. What a failed test left is not for another, nor what a test
  // removed.
  static void GiveBack(PostgresServer& server, std::string url) {
    if (::testing::Test::HasFailure()) return;
    try {
      if (server.Run(url, kIsLikeNew) != "t") return;
      server.Run(url, kEmpty);
      idle_.push_back(std::move(url));
    } catch (const std::runtime_error&) {
    }
  }

 private:
  static std::string Make(PostgresServer& server) {
    std::string url = server.MakeDatabase();
    OpenCatalog({.url = url}).value();
    server.Run(url, kKeepFirstRows);
    return url;
  }

  // The rows that the steps of the schema wrote.
  static constexpr const char* kKeepFirstRows = R"(
      CREATE SCHEMA first;
      DO $$ DECLARE t TEXT; filled BOOLEAN; BEGIN
        FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
          EXECUTE format('SELECT EXISTS (SELECT 1 FROM public.%I)', t) INTO filled;
          IF filled THEN EXECUTE format('CREATE TABLE first.%I AS SELECT * FROM public.%I', t, t); END IF;
        END LOOP;
      END $$)";
  // Queries of analyzed tables have other plans, and tables that were large are slow.
  static constexpr const char* kIsLikeNew =
      "SELECT pg_database_size(current_database()) < 24000000 AND NOT EXISTS "
      "(SELECT 1 FROM pg_stats WHERE schemaname = 'public')";
  static constexpr const char* kEmpty = R"(
      DO $$ DECLARE t TEXT; BEGIN
        SET LOCAL session_replication_role = replica;
        FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
          EXECUTE format('DELETE FROM public.%I', t);
        END LOOP;
        FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'first' LOOP
          EXECUTE format('INSERT INTO public.%I SELECT * FROM first.%I', t, t);
        END LOOP;
        PERFORM setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S';
      END $$)";

  static inline std::vector<std::string> idle_;
};

struct PostgresBackend : CatalogBackend {
  PostgresBackend() : server(PostgresServer::Shared(&reason)) {
    if (server == nullptr) return;
    url = MigratedDatabases::Take(*server);
    opened = Open();
  }
  ~PostgresBackend() override {
    opened = FailUnavailable("closed");
    if (server != nullptr) MigratedDatabases::GiveBack(*server, url);
  }
  Result<std::unique_ptr<Catalog>> Open() const {
    return OpenCatalog({.url = url, .read_timeout = kPatience, .write_timeout = kPatience});
  }
  std::string SkipReason() const override { return reason; }
  Catalog& catalog() override { return *opened.value(); }

  std::string reason;
  PostgresServer* server;
  std::string url;
  Result<std::unique_ptr<Catalog>> opened = FailUnavailable("not opened");
};

}  // namespace koya
