#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/temp_folder_fake.h"
#include "catalog/catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/sql/catalog_backends_fake.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/sqlite_engine.h"
#include "catalog/sql/open_catalog.h"
#include "catalog/upstream_samples_fake.h"

namespace koya {

std::vector<CatalogEngine> CatalogEngines() {
  return {{"Sqlite", [] { return std::make_unique<SqliteBackend>(); }}};
}

namespace {

namespace fs = std::filesystem;

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SqliteCatalogTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Catalog>> Open() {
    return OpenCatalog(
        {.url = "sqlite:" + path_, .read_timeout = kPatience, .write_timeout = kPatience});
  }

  // A catalog with enough in it to have more than one page of everything.
  void MakeCatalog(int versions = 40) {
    auto catalog = Open();
    ASSERT_TRUE(catalog) << catalog.error().message << catalog.error().detail;
    for (int i = 0; i < versions; ++i) {
      auto record = Record("acme/m" + std::to_string(i % 20) + "/aws", "1.0." + std::to_string(i),
                           std::to_string(i));
      ASSERT_TRUE(RunTask((*catalog)->AddVersion(Tester(), record)));
    }
  }
  // Every file in the folder with its content, the lock file aside.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".lock") continue;
      files[entry.path().filename()] = Content(entry.path());
    }
    return files;
  }

  TempFolder folder_;
  std::string path_ = folder_ / "koya.db";
};

TEST_F(SqliteCatalogTest, ReopensWhatWasWritten) {
  MakeCatalog();
  auto catalog = Open();
  ASSERT_TRUE(catalog) << catalog.error().message;
  auto page = RunTask((*catalog)->ListModules({}, {}));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->items.size(), 15u);
  EXPECT_TRUE(page->more);
}

TEST_F(SqliteCatalogTest, ASecondServerIsRefusedAndToldWhy) {
  auto first = Open();
  ASSERT_TRUE(first);
  auto second = Open();
  ASSERT_EQ(CatalogErrorOf(second), ErrorKind::kUnavailable);
  EXPECT_NE(second.error().message.find(path_ + ".lock"), std::string::npos);
  EXPECT_NE(second.error().message.find("process " + std::to_string(::getpid())),
            std::string::npos);
  first->reset();
  EXPECT_TRUE(Open());
}

TEST_F(SqliteCatalogTest, ALinkToTheFileFindsTheSameLock) {
  auto first = Open();
  ASSERT_TRUE(first);
  fs::create_symlink(path_, folder_ / "other.db");
  EXPECT_EQ(CatalogErrorOf(OpenCatalog({.url = "sqlite:" + (folder_ / "other.db").string()})),
            ErrorKind::kUnavailable);
}

TEST_F(SqliteCatalogTest, CompactingLeavesFreePagesOutAndKeepsTheRest) {
  MakeCatalog();
  {
    sql::Database database(sql::MakeSqliteEngine({.path = path_}), {.readers = 1, .writers = 1});
    ASSERT_TRUE(database.WriteNow([](sql::Session& session) -> Status {
      session.Run({"make", "CREATE TABLE filler (bytes BLOB)"});
      session.Run({"fill", "INSERT INTO filler VALUES (zeroblob(2000000))"});
      session.Run({"empty", "DROP TABLE filler"});
      return {};
    }));
  }
  fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write);
  const auto before = fs::file_size(path_);
  const Result<CatalogSizes> sizes = CompactCatalog({.url = "sqlite:" + path_});
  ASSERT_TRUE(sizes) << sizes.error().message << sizes.error().detail;
  EXPECT_GE(sizes->before, before);
  EXPECT_EQ(sizes->after, fs::file_size(path_));
  EXPECT_LT(sizes->after, before - 1'000'000);
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(Files().size(), 1U) << "no other file is left";
  auto catalog = Open();
  ASSERT_TRUE(catalog) << catalog.error().message;
  EXPECT_EQ(RunTask((*catalog)->ListModules({}, {}))->items.size(), 15U);
  // A server that runs keeps it away.
  const Result<CatalogSizes> refused = CompactCatalog({.url = "sqlite:" + path_});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
}

TEST_F(SqliteCatalogTest, CompactingRefusesWhatItCannotCompact) {
  EXPECT_EQ(CompactCatalog({.url = "postgresql://koya@db.example.com/koya"}).error().kind,
            ErrorKind::kRefused);
  EXPECT_EQ(CompactCatalog({.url = "sqlite:" + path_}).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(CompactCatalog({.url = "mysql:"}).error().kind, ErrorKind::kInvalid);
  MakeCatalog();
  std::string broken = Content(path_);
  broken.replace(4096, 400, std::string(400, '\x5a'));
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << broken;
  EXPECT_EQ(CompactCatalog({.url = "sqlite:" + path_}).error().kind, ErrorKind::kCorrupt);
  EXPECT_EQ(Content(path_), broken);
}

TEST_F(SqliteCatalogTest, ALogThatGrewBehindAReaderIsCutBack) {
  MakeCatalog(1);
  auto engine = sql::MakeSqliteEngine({.path = path_, .durable = false});
  sql::Session writer(*engine, kPatience), reader(*engine, kPatience);
  writer.Run({"make", "CREATE TABLE filler (bytes BLOB)"});
  reader.Run({"begin", "BEGIN"});
  reader.Run({"read", "CREATE TEMP TABLE seen AS SELECT COUNT(*) FROM filler"});
  const std::string log = path_ + "-wal";
  constexpr std::uintmax_t kLongLog = 64U << 20;
  for (int i = 0; i < 70; ++i) {
    writer.Run({"fill", "INSERT INTO filler VALUES (zeroblob(1048576))"});
  }
  EXPECT_GT(fs::file_size(log), kLongLog) << "the reader needs it";
  reader.Run({"end", "COMMIT"});
  writer.Run({"fill", "INSERT INTO filler VALUES (zeroblob(1))"});
  EXPECT_LT(fs::file_size(log), 1U << 20);
}

TEST_F(SqliteCatalogTest, ADamagedFileIsNamedAndLeftAlone) {
  struct Damage {
    const char* name;
    std::size_t offset;  // from which on "garbage" is written; or the length to cut to
    bool cut;
  };
  const Damage kCases[] = {{"empty", 0, true},
                           {"cut within the header", 50, true},
                           {"cut in the middle", 9000, true},
                           {"garbage at the start", 0, false},
                           {"garbage in the schema", 100, false},
                           {"garbage in a later page", 4096, false}};
  MakeCatalog();
  const std::string sound = Content(path_);
  ASSERT_GT(sound.size(), 20'000u);
  for (const Damage& damage : kCases) {
    std::string broken = damage.cut ? sound.substr(0, damage.offset) : sound;
    if (!damage.cut) broken.replace(damage.offset, 400, std::string(400, '\x5a'));
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << broken;
    const auto before = Files();
    auto catalog = Open();
    ASSERT_EQ(CatalogErrorOf(catalog), ErrorKind::kCorrupt) << damage.name;
    EXPECT_NE(catalog.error().message.find(path_), std::string::npos) << damage.name;
    EXPECT_NE(catalog.error().message.find("backup"), std::string::npos) << damage.name;
    EXPECT_TRUE(Files() == before) << damage.name;
  }
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << sound;
  EXPECT_TRUE(Open()) << "the backup is back";
}

TEST_F(SqliteCatalogTest, ADamagedFileWithALogBesideItIsLeftAloneToo) {
  {
    auto catalog = Open();
    ASSERT_TRUE(catalog);
    ASSERT_TRUE(RunTask((*catalog)->AddVersion(Tester(), Record("acme/vpc/aws", "1.0.0"))));
    // As a killed server leaves them.
    fs::copy_file(path_, folder_ / "kept");
    fs::copy_file(path_ + "-wal", folder_ / "kept-wal");
  }
  fs::rename(folder_ / "kept", path_);
  fs::rename(folder_ / "kept-wal", path_ + "-wal");
  const std::string sound = Content(path_);
  std::string broken = sound;
  broken.replace(0, 400, std::string(400, '\x5a'));
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << broken;
  const auto before = Files();
  EXPECT_EQ(CatalogErrorOf(Open()), ErrorKind::kCorrupt);
  EXPECT_TRUE(Files() == before);
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << sound;
  auto catalog = Open();
  ASSERT_TRUE(catalog) << catalog.error().message;
  EXPECT_TRUE(RunTask((*catalog)->FindVersion(Address("acme/vpc/aws"), V("1.0.0"))));
}

// Bytes that this process has read from files.
std::uint64_t BytesRead() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  counts >> name >> bytes;  // rchar
  return bytes;
}

TEST_F(SqliteCatalogTest, OfALargeFileLittleIsReadWhenItIsOpened) {
  MakeCatalog();
  {
    sql::Database database(sql::MakeSqliteEngine({.path = path_, .durable = false}), {});
    ASSERT_TRUE(database.WriteNow([](sql::Session& session) -> Status {
      session.Run({"ballast", "CREATE TABLE ballast (id INTEGER PRIMARY KEY, body BLOB)"});
      session.Run({"fill_ballast",
                   "INSERT INTO ballast (body) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
                   "SELECT i + 1 FROM n WHERE i < 25000) SELECT zeroblob(3000) FROM n"});
      return {};
    }));
  }
  ASSERT_GT(fs::file_size(path_), 80u << 20);
  const std::uint64_t before = BytesRead();
  ASSERT_GT(before, 0u);
  ASSERT_TRUE(Open());
  EXPECT_LT(BytesRead() - before, 8u << 20);
}

TEST_F(SqliteCatalogTest, ALogWithoutItsFileIsDamage) {
  std::ofstream(path_ + "-wal") << std::string(5000, 'w');
  EXPECT_EQ(CatalogErrorOf(Open()), ErrorKind::kCorrupt);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(SqliteCatalogTest, ADraftOfAKilledServerIsReplaced) {
  std::ofstream(path_ + ".new") << "half a catalog";
  EXPECT_TRUE(Open());
  EXPECT_FALSE(fs::exists(path_ + ".new"));
}

TEST_F(SqliteCatalogTest, AFileInTheWayIsRefused) {
  fs::create_directory(path_);
  EXPECT_EQ(CatalogErrorOf(Open()), ErrorKind::kInvalid);
}

TEST_F(SqliteCatalogTest, BadUrlsAreRefused) {
  for (const char* url : {"", "sqlite:", "mysql://localhost/koya", "koya.db", "sqlite:/tmp/a\"b",
                          "sqlite:/no/such/folder/koya.db"}) {
    auto catalog = OpenCatalog({.url = url});
    EXPECT_FALSE(catalog) << url;
  }
}

TEST_F(SqliteCatalogTest, PathsWithSpacesAndSignsWork) {
  std::string path = folder_ / "a folder = 100% 'fun' ?#";
  fs::create_directory(path);
  for (int i = 0; i < 2; ++i) {
    auto catalog = OpenCatalog({.url = "sqlite:" + path + "/koya db"});
    ASSERT_TRUE(catalog) << catalog.error().message << catalog.error().detail;
  }
  EXPECT_TRUE(fs::exists(path + "/koya db"));
}

TEST_F(SqliteCatalogTest, AHundredThousandVersionsInOneModuleAreNoTrouble) {
  MakeCatalog();
  {
    sql::Database database(sql::MakeSqliteEngine({.path = path_, .durable = false}), {});
    ASSERT_TRUE(database.WriteNow([](sql::Session& session) -> Status {
      session.Run({"fill",
                   "INSERT INTO module_version (module_id, version, precedence_key, archive_kind, "
                   "digest, size, upload_digest, description, published_at, published_by) "
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                   "WHERE i < 100000) SELECT v.module_id, '3.' || i || '.0', '3.' || i || '.0', "
                   "archive_kind, digest, size, upload_digest, description, published_at, "
                   "published_by FROM n, module_version v WHERE v.version = '1.0.0'"});
      session.Run({"count",
                   "UPDATE module SET version_count = version_count + 100000, "
                   "latest_version = '3.100000.0' WHERE address_key = 'acme/m0/aws'"});
      return {};
    }));
  }
  auto catalog = Open();
  ASSERT_TRUE(catalog) << catalog.error().message;
  const ModuleAddress address = Address("acme/m0/aws");
  auto versions = RunTask((*catalog)->ListVersions(address));
  ASSERT_TRUE(versions);
  EXPECT_EQ(versions->size(), 100'002u);
  EXPECT_EQ(versions->front().version, V("3.100000.0"));
  EXPECT_TRUE(RunTask((*catalog)->FindVersion(address, V("3.77777.0"))));
  EXPECT_EQ(RunTask((*catalog)->AddVersion(Tester(), Record("acme/m0/aws", "3.100001.0")))->what,
            AddOutcome::What::kAdded);
  ASSERT_TRUE(RunTask((*catalog)->Withdraw(Tester(), address, V("3.100001.0"), {})));
  auto page = RunTask((*catalog)->ListModules({}, {.offset = 0, .limit = 1}));
  ASSERT_EQ(page->items.size(), 1u);
  EXPECT_EQ(page->items[0].latest, V("3.100000.0"));
  EXPECT_EQ(page->items[0].versions, 100'002u);
}

TEST_F(SqliteCatalogTest, APageOfProvidersHoldsAThousandAtMost) {
  MakeCatalog(1);
  {
    sql::Database database(sql::MakeSqliteEngine({.path = path_, .durable = false}), {});
    ASSERT_TRUE(database.WriteNow([](sql::Session& session) -> Status {
      session.Run({"fill",
                   "INSERT INTO provider (address, namespace, type, version_count, latest_version, "
                   "latest_published_at) WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL "
                   "SELECT i + 1 FROM n WHERE i < 2000) "
                   "SELECT 'acme/p' || i, 'acme', 'p' || i, 1, '1.0.0', 5 FROM n"});
      return {};
    }));
  }
  auto catalog = Open();
  ASSERT_TRUE(catalog) << catalog.error().message;
  auto page = RunTask((*catalog)->ListProviders({}, {.offset = 0, .limit = 5000}));
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->items.size(), 1000u);
  EXPECT_TRUE(page->more);
  EXPECT_EQ(RunTask((*catalog)->ListProviders({}, {.offset = 1000, .limit = 5000}))->items.size(),
            1u);
}

TEST_F(SqliteCatalogTest, RowsThatKoyaDoesNotWriteAreCorrupt) {
  const char* const kDamages[] = {
      "UPDATE provider_release SET platforms = 'plan9_toaster' || x'0a'",
      "UPDATE provider_release SET platforms = 'no end of line'",
      "UPDATE provider_release SET protocols = '%zz' || x'0a'",
      "UPDATE provider_release SET version = 'one'",
  };
  for (const char* damage : kDamages) {
    SCOPED_TRACE(damage);
    {
      auto catalog = Open();
      ASSERT_TRUE(catalog) << catalog.error().message;
      ASSERT_TRUE(RunTask((*catalog)->AddKey(Tester(), SampleKey("acme"))));
      ASSERT_TRUE(RunTask(
          (*catalog)->AddRelease(Tester(), SampleRelease("acme/demo", "1.0.0"), std::nullopt)));
    }
    {
      sql::Database database(sql::MakeSqliteEngine({.path = path_, .durable = false}), {});
      ASSERT_TRUE(database.WriteNow([damage](sql::Session& session) -> Status {
        session.Run({"damage", damage});
        return {};
      }));
    }
    auto catalog = Open();
    ASSERT_TRUE(catalog) << catalog.error().message;
    EXPECT_EQ(CatalogErrorOf(RunTask((*catalog)->ListReleases(Provider("acme/demo")))),
              ErrorKind::kCorrupt);
    catalog->reset();
    fs::remove(path_);
  }
}

// 50,000 releases with two packages each, all held: the one with number n was used n seconds after
// the first.
constexpr const char* kHoldMany[] = {
    "INSERT INTO upstream_provider (provider_key, host, namespace, type) "
    "VALUES ('a.example/acme/demo', 'a.example', 'acme', 'demo')",
    "INSERT INTO upstream_release (provider_id, version, protocols, keys, fit_for_origin, seen_at) "
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49999) "
    "SELECT p.id, '1.' || n.i || '.0', '', 'keys', 1, 5 FROM n, upstream_provider p",
    "INSERT INTO upstream_package (release_id, os, arch, filename, digest, size, hashes, held) "
    "SELECT r.id, o.os, o.arch, 'a.zip', printf('%064x', (2 * r.id + o.n) * 7919 % 1000003), "
    "1000, '', 1 FROM upstream_release r, (SELECT 0 AS n, 'linux' AS os, 'amd64' AS arch "
    "UNION ALL SELECT 1, 'darwin', 'arm64') o",
    "INSERT INTO held_blob (digest, size, used_at) SELECT k.digest, k.size, "
    "2 * k.release_id + (k.os = 'darwin') FROM upstream_package k"};

TEST_F(SqliteCatalogTest, AHundredThousandHeldPackagesAreNoTrouble) {
  MakeCatalog(1);
  {
    sql::Database database(sql::MakeSqliteEngine({.path = path_, .durable = false}), {});
    ASSERT_TRUE(database.WriteNow([](sql::Session& session) -> Status {
      for (const char* statement : kHoldMany) session.Run({"fill", statement});
      return {};
    }));
  }
  auto catalog = Open();
  ASSERT_TRUE(catalog) << catalog.error().message;
  EXPECT_EQ(RunTask((*catalog)->HeldBytes()).value(), 100'000'000u);
  const EvictionRule rule{
      .max_bytes = 0, .hosts = {Host("a.example")}, .unused_for = {}, .most_blobs = 5000};
  auto evicted = RunTask((*catalog)->EvictHeld(rule));
  ASSERT_TRUE(evicted) << evicted.error().message << evicted.error().detail;
  ASSERT_EQ(evicted->size(), 1000u) << "at most";
  auto first = RunTask((*catalog)->FindUpstreamRelease(Remote("a.example/acme/demo"), V("1.1.0")));
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->packages[0].held);
  EXPECT_FALSE(first->packages[1].held);
  std::vector<Digest> digests;
  for (const EvictedBlob& blob : *evicted) digests.push_back(blob.digest);
  EXPECT_EQ(RunTask((*catalog)->FindUnreferenced(digests))->size(), 1000u);
  EXPECT_EQ(RunTask((*catalog)->HeldBytes()).value(), 99'000'000u);
  const UpstreamProvider provider = Remote("a.example/acme/demo");
  EXPECT_EQ(RunTask((*catalog)->ListUpstreamVersions(provider))->size(), 50'000u);
  auto page = RunTask((*catalog)->ListUpstreamReleases(std::pair(provider, V("1.9.0")), 9999));
  ASSERT_TRUE(page) << page.error().message << page.error().detail;
  ASSERT_EQ(page->size(), 1000u) << "at most";
  EXPECT_EQ(page->front().version, V("1.90.0"));
  EXPECT_EQ(page->front().keys, "keys");
  EXPECT_EQ(page->back().packages.size(), 2u);
}

TEST_F(SqliteCatalogTest, AFullDiskIsStorageFullAndKeepsWhatIsThere) {
  MakeCatalog();
  const std::uint64_t pages = fs::file_size(path_) / 4096 + 2;
  auto catalog = OpenCatalog({.url = "sqlite:" + path_, .max_pages = pages});
  ASSERT_TRUE(catalog);
  Result<AddOutcome> outcome = AddOutcome{};
  for (int i = 0; i < 500 && outcome; ++i) {
    outcome = RunTask(
        (*catalog)->AddVersion(Tester(), Record("acme/full/aws", "2.0." + std::to_string(i))));
  }
  ASSERT_EQ(CatalogErrorOf(outcome), ErrorKind::kStorageFull);
  EXPECT_TRUE(RunTask((*catalog)->ListVersions(Address("acme/m1/aws"))));
  EXPECT_EQ(RunTask((*catalog)->AddVersion(Tester(), Record("acme/m1/aws", "1.0.1", "1")))->what,
            AddOutcome::What::kSameUpload);
}

}  // namespace
}  // namespace koya
