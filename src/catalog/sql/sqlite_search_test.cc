#include "base/temp_folder_fake.h"
#include "catalog/catalog.h"
#include "catalog/contents_catalog_suite.h"
#include "catalog/mirrored_provider_search_suite.h"
#include "catalog/mirrored_search_suite.h"
#include "catalog/search_index_suite.h"
#include "catalog/search_truth_suite.h"
#include "catalog/sql/open_catalog.h"

namespace koya {
namespace {

struct SqliteSearchBackend {
  TempFolder folder;
  Result<std::unique_ptr<Catalog>> opened =
      OpenCatalog({.url = "sqlite:" + (folder / "koya.db").string(),
                   .read_timeout = kPatience,
                   .write_timeout = kPatience,
                   .durable = false});
  std::string SkipReason() const { return ""; }
  Catalog& catalog() { return *opened.value(); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, ContentsCatalogSuite, SqliteSearchBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, MirroredProviderSearchSuite, SqliteSearchBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, MirroredSearchSuite, SqliteSearchBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, SearchIndexSuite, SqliteSearchBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, SearchTruthSuite, SqliteSearchBackend);

}  // namespace
}  // namespace koya
