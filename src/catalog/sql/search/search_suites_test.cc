// What the suites about the search index run on.
#include "catalog/sql/postgres_backend_fake.h"
#include "catalog/sql/sqlite_backend_fake.h"

namespace koya {

std::vector<CatalogEngine> CatalogEngines() {
  return {{"Sqlite", [] { return std::make_unique<SqliteBackend>(false); }},
          {"Postgres", [] { return std::make_unique<PostgresBackend>(); }}};
}

}  // namespace koya
