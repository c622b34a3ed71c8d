#include "base/temp_folder_fake.h"
#include "catalog/blob_ledger_suite_base.h"
#include "catalog/blob_renewal_suite_base.h"
#include "catalog/catalog.h"
#include "catalog/memory_blob_ledger_fake.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/sqlite_engine.h"
#include "catalog/sql/open_catalog.h"

namespace koya {
namespace {

struct MemoryLedgerBackend : LedgerBackend {
  FakeBlobLedger fake;
  BlobLedger& ledger() override { return fake; }
  void Age(seconds by) override { fake.Advance(by); }
};

struct SqliteLedgerBackend : CatalogLedgerBackend {
  TempFolder folder;
  std::string path = folder / "koya.db";
  Result<std::unique_ptr<Catalog>> opened = OpenCatalog({.url = "sqlite:" + path,
                                                         .read_timeout = kPatience,
                                                         .write_timeout = kPatience,
                                                         .blob_ledger = true,
                                                         .durable = false});
  Catalog& catalog() override { return *opened.value(); }
  void Age(seconds by) override {
    const std::string sql = "UPDATE blob_object SET at = at - " + std::to_string(by.count());
    sql::Database database(sql::MakeSqliteEngine({.path = path, .durable = false}), {});
    ASSERT_TRUE(database.WriteNow([&sql](sql::Session& session) -> Status {
      session.Run({"age", sql});
      return {};
    }));
  }
};

INSTANTIATE_TEST_SUITE_P(Memory, BlobLedgerSuite,
                         ::testing::Values(&MakeLedger<MemoryLedgerBackend>));
INSTANTIATE_TEST_SUITE_P(Sqlite, BlobLedgerSuite,
                         ::testing::Values(&MakeLedger<SqliteLedgerBackend>));
INSTANTIATE_TEST_SUITE_P(Sqlite, BlobRenewalSuite,
                         ::testing::Values(&MakeCatalogLedger<SqliteLedgerBackend>));

}  // namespace
}  // namespace koya
