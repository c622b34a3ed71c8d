#include "base/temp_folder_fake.h"
#include "catalog/blob_ledger_suite.h"
#include "catalog/blob_renewal_suite.h"
#include "catalog/catalog.h"
#include "catalog/memory_blob_ledger_fake.h"
#include "catalog/sql/database.h"
#include "catalog/sql/open_catalog.h"
#include "catalog/sql/sqlite_engine.h"

namespace koya {
namespace {

struct MemoryLedgerBackend {
  FakeBlobLedger fake;
  std::string SkipReason() const { return ""; }
  BlobLedger& ledger() { return fake; }
  void Age(seconds by) { fake.Advance(by); }
};

struct SqliteLedgerBackend {
  TempFolder folder;
  std::string path = folder / "koya.db";
  Result<std::unique_ptr<Catalog>> opened = OpenCatalog({.url = "sqlite:" + path,
                                                         .read_timeout = kPatience,
                                                         .write_timeout = kPatience,
                                                         .blob_ledger = true,
                                                         .durable = false});
  std::string SkipReason() const { return ""; }
  Catalog& catalog() { return *opened.value(); }
  BlobLedger& ledger() { return catalog(); }
  void Age(seconds by) {
    const std::string sql = "UPDATE blob_object SET at = at - " + std::to_string(by.count());
    sql::Database database(sql::MakeSqliteEngine({.path = path, .durable = false}), {});
    ASSERT_TRUE(database.WriteNow([&sql](sql::Session& session) -> Status {
      session.Run({"age", sql});
      return {};
    }));
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, BlobLedgerSuite, MemoryLedgerBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, BlobLedgerSuite, SqliteLedgerBackend);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, BlobRenewalSuite, SqliteLedgerBackend);

}  // namespace
}  // namespace koya
