#include "catalog/catalog.h"
#include "catalog/contents_catalog_suite.h"
#include "catalog/mirrored_provider_search_suite.h"
#include "catalog/mirrored_search_suite.h"
#include "catalog/postgres_fixture_fake.h"
#include "catalog/search_index_suite.h"
#include "catalog/search_truth_suite.h"
#include "catalog/sql/open_catalog.h"

namespace koya {
namespace {

struct PostgresSearchBackend {
  PostgresSearchBackend() : server(PostgresServer::Shared(&reason)) {
    if (server == nullptr) return;
    opened = OpenCatalog(
        {.url = server->MakeDatabase(), .read_timeout = kPatience, .write_timeout = kPatience});
  }
  std::string SkipReason() const { return reason; }
  Catalog& catalog() { return *opened.value(); }

  std::string reason;
  PostgresServer* server;
  Result<std::unique_ptr<Catalog>> opened = Fail(ErrorKind::kUnavailable, "not opened");
};

INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, ContentsCatalogSuite, PostgresSearchBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, MirroredProviderSearchSuite, PostgresSearchBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, MirroredSearchSuite, PostgresSearchBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, SearchIndexSuite, PostgresSearchBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, SearchTruthSuite, PostgresSearchBackend);

}  // namespace
}  // namespace koya
