// What every catalog must do: copy all its records to a catalog of any engine. See
// catalog_suite_base.h.
#include "catalog/record_catalog.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog_samples_fake.h"
#include "catalog/catalog_suite_base.h"
#include "catalog/module_catalog.h"
#include "catalog/sql/engine/migrations.h"
#include "domain/catalog_records.h"

namespace koya {
namespace {

using Items = std::vector<RecordItem>;

RecordCatalog::Source SourceOf(const Items& items) {
  return [&items, at = std::size_t{0}]() mutable -> Result<std::optional<RecordItem>> {
    if (at == items.size()) return std::nullopt;
    return items[at++];
  };
}

Items ReadAll(RecordCatalog& records) {
  Items items;
  Status read = records.ReadRecords([&items](const RecordItem& item) -> Status {
    items.push_back(item);
    return {};
  });
  EXPECT_TRUE(read) << read.error().message << read.error().detail;
  return items;
}

// Columns that hold NULL in the second row of their table.
constexpr std::string_view kNullable[] = {"account.disabled_at",
                                          "account.language",
                                          "namespace.title",
                                          "token.expires_at",
                                          "token.last_used_at",
                                          "token.provenance",
                                          "module_version.withdrawn_at",
                                          "module_version.provenance",
                                          "signing_key.expires_at",
                                          "release_inside.docs_size",
                                          "release_inside.docs_digest",
                                          "attachment.release_id"};

// Of row `number` of any table, so that what refers to another row finds it.
RecordValue SampleValue(std::string_view column, bool is_text, std::int64_t number) {
  if (number == 2 && std::ranges::find(kNullable, column) != std::end(kNullable)) return {};
  if (!is_text) return number;
  if (number == 3)
    return std::string("text 3 \"quoted\" \\ tab\t line\n \x01 \u00e9 \u732b \U0001f408");
  return "text " + std::to_string(number);
}

class RecordCatalogSuite : public CatalogSuiteBase {
 protected:
  // Some rows in every table, and several pages of one.
  Items SampleItems() {
    Items items;
    for (const RecordItem& item : ReadAll(records())) {
      const auto* table = std::get_if<RecordTable>(&item);
      if (table == nullptr) continue;
      items.push_back(*table);
      const bool has_one = table->name == "default_visibility" || table->name == "site_name" ||
                           table->name == "audit_chain";
      const std::int64_t rows = has_one ? 1 : (table->name == "usage_day" ? 1001 : 3);
      for (std::int64_t number = 1; number <= rows; ++number) {
        items.push_back(SampleRow(*table, number));
      }
    }
    return items;
  }

  // Texts are found by trial: what a catalog would not take is a number.
  RecordRow SampleRow(const RecordTable& table, std::int64_t number) {
    RecordRow row;
    for (const std::string& column : table.columns) {
      row.push_back(SampleValue(table.name + "." + column, IsText(table, column), number));
    }
    return row;
  }

  bool IsText(const RecordTable& table, const std::string& column) {
    auto [found, is_new] = is_text_.try_emplace(table.name + "." + column);
    if (!is_new) return found->second;
    RecordRow row(1, RecordValue(std::string("x")));
    const Items trial{RecordTable{table.name, {column}}, row};
    Status written = records().WriteRecords(SourceOf(trial));
    found->second = written || written.error().message.find("does not fit") == std::string::npos;
    return found->second;
  }

  Status Write(const Items& items) { return records().WriteRecords(SourceOf(items)); }

  std::map<std::string, bool> is_text_;
};
INSTANTIATE_CATALOG_SUITE(RecordCatalogSuite);

TEST_P(RecordCatalogSuite, EveryTableIsCopiedOrLeftOutForAReason) {
  std::vector<std::string> known;
  for (std::string_view each : RecordCatalog::CopiedTables()) known.emplace_back(each);
  for (const TableLeftOut& each : RecordCatalog::TablesLeftOut()) {
    known.emplace_back(each.name);
    EXPECT_NE(each.reason, "") << each.name;
  }
  std::vector<std::string> created{"schema_migration"};
  for (const sql::Migration& migration : sql::AllMigrations()) {
    std::string_view text = migration.text;
    constexpr std::string_view kCreate = "CREATE TABLE ";
    for (std::size_t at = text.find(kCreate); at != text.npos; at = text.find(kCreate, at + 1)) {
      const std::string_view rest = text.substr(at + kCreate.size());
      created.emplace_back(rest.substr(0, rest.find(' ')));
    }
  }
  std::ranges::sort(known);
  std::ranges::sort(created);
  EXPECT_EQ(known, created);
}

TEST_P(RecordCatalogSuite, RecordsAreEqualAfterAWayThroughBothEngines) {
  const Items given = SampleItems();
  Status written = Write(given);
  ASSERT_TRUE(written) << written.error().message << written.error().detail;
  const Items here = ReadAll(records());
  EXPECT_TRUE(here == given);

  TestCatalog sqlite;
  ASSERT_TRUE(sqlite.records().WriteRecords(SourceOf(here)));
  const Items there = ReadAll(sqlite.records());
  EXPECT_TRUE(there == given);

  const std::unique_ptr<CatalogBackend> other = GetParam().make_backend();
  const CatalogParts again(other->catalog());
  Status back = again.records().WriteRecords(SourceOf(there));
  ASSERT_TRUE(back) << back.error().message << back.error().detail;
  EXPECT_TRUE(ReadAll(again.records()) == given);
}

TEST_P(RecordCatalogSuite, ACopyCanBePublishedTo) {
  ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), Record("acme/vpc/aws", "1.0.0"))));
  ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), Record("acme/net/aws", "1.0.0"))));
  const Items items = ReadAll(records());
  const std::unique_ptr<CatalogBackend> other = GetParam().make_backend();
  const CatalogParts copy(other->catalog());
  Status written = copy.records().WriteRecords(SourceOf(items));
  ASSERT_TRUE(written) << written.error().message << written.error().detail;
  for (const char* address : {"acme/vpc/aws", "acme/new/aws"}) {
    auto added = RunTask(copy.modules().AddVersion(Tester(), Record(address, "2.0.0")));
    ASSERT_TRUE(added) << added.error().message << added.error().detail;
    EXPECT_EQ(added->what, AddOutcome::What::kAdded);
  }
  EXPECT_TRUE(RunTask(copy.modules().FindVersion(Address("acme/vpc/aws"), V("1.0.0"))));
}

TEST_P(RecordCatalogSuite, OnlyAnEmptyCatalogIsWrittenTo) {
  EXPECT_TRUE(records().RequireEmpty());
  const Items empty = ReadAll(records());
  ASSERT_TRUE(RunTask(modules().AddVersion(Tester(), Record("acme/vpc/aws", "1.0.0"))));
  ExpectFails(records().RequireEmpty(), ErrorKind::kConflict, "not empty");
  ExpectFails(Write(empty), ErrorKind::kConflict, "not empty");
}

TEST_P(RecordCatalogSuite, RecordsThatDoNotFitAreRejectedAndNothingIsWritten) {
  const RecordTable admission{"admission", {"admitted_at", "subject", "version"}};
  const RecordRow fits{std::int64_t{1}, "acme/demo", "1.0.0"};
  const struct {
    const char* what;
    Items items;
    const char* words;
  } kCases[] = {
      {"nothing", {}, "no records"},
      {"a row before any table", {fits}, "begin with a row"},
      {"an unknown table", {RecordTable{"gadget", {"id"}}}, "gadget"},
      {"a table that is left out", {RecordTable{"lease", {"name"}}}, "lease"},
      {"an unknown column", {RecordTable{"admission", {"subject", "weight"}}}, "admission.weight"},
      {"a short row", {admission, RecordRow{std::int64_t{1}, "acme/demo"}}, "admission"},
      {"a text for a number", {admission, fits, RecordRow{"1", "a", "1.0.0"}}, "admission"},
      {"a number for a text",
       {admission, fits, RecordRow{std::int64_t{1}, std::int64_t{2}, "1.0.0"}},
       "admission"},
      {"a text that is not UTF-8",
       {admission, fits, RecordRow{std::int64_t{1}, "\xff", "1.0.0"}},
       "admission"},
      {"NULL where there must be a value",
       {admission, fits, RecordRow{std::int64_t{1}, RecordValue(), "1.0.0"}},
       ""},
      {"the same key twice", {admission, fits, fits}, ""},
      {"a reference to nothing",
       {RecordTable{"account_password", {"account_id", "hash"}}, RecordRow{"a", "b"}},
       ""},
  };
  for (const auto& each : kCases) {
    SCOPED_TRACE(each.what);
    Status written = Write(each.items);
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().message.find(each.words), std::string::npos)
        << written.error().message;
    EXPECT_TRUE(records().RequireEmpty());
  }
  ASSERT_TRUE(Write({admission, fits}));
}

TEST_P(RecordCatalogSuite, AFailureOfTheOtherSideEndsTheCopy) {
  Status read = records().ReadRecords(
      [](const RecordItem&) -> Status { return FailUnavailable("the disk is gone"); });
  ExpectFails(read, ErrorKind::kUnavailable, "the disk is gone");
  int items = 0;
  Status written = records().WriteRecords([&items]() -> Result<std::optional<RecordItem>> {
    if (items++ == 0) return RecordTable{"account", {"id"}};
    return FailUnavailable("the source is gone");
  });
  ExpectFails(written, ErrorKind::kUnavailable, "the source is gone");
  EXPECT_TRUE(records().RequireEmpty());
}

}  // namespace
}  // namespace koya
