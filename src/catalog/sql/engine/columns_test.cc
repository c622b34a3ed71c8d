#include "catalog/sql/engine/columns.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/temp_folder_fake.h"
#include "catalog/sql/engine/session.h"
#include "catalog/sql/engine/sqlite_engine.h"

namespace koya::sql {
namespace {

struct Pin {
  std::string name;
  Platform platform;
  Digest digest;
  std::uint64_t size = 0;
  bool held = false;
  std::string note;
  Role role = Role::kReader;
  std::vector<std::string> hashes;
  std::optional<std::int64_t> used_at;
  std::int64_t age = 0;
};

constexpr auto kPinColumns = Columns<Pin>(
    [] { return Pin{.platform = Blank(), .digest = Blank()}; }, Column<&Pin::name>("p.name"),
    Column<&Pin::platform>("p.os", "p.arch"), Column<&Pin::digest>("p.digest"),
    Column<&Pin::size>("p.size"), Column<&Pin::held>("p.held"),
    Column<&Pin::note>("p.note").OrNull(), Column<&Pin::role>("p.role"),
    Column<&Pin::hashes>("p.hashes"), Column<&Pin::used_at>("p.used_at"),
    ReadColumn<&Pin::age>("age").As("COALESCE(p.used_at, 0) + 1"));

constexpr Statement kMakePins{"make_pins",
                              "CREATE TABLE pin (id INTEGER, name TEXT, os TEXT, arch TEXT, digest "
                              "TEXT, size INTEGER, held INTEGER, note TEXT, role TEXT, "
                              "hashes TEXT, used_at INTEGER)"};
constexpr auto kAddPin = Sql("add_pin", "INSERT INTO pin (id, ", kNames<kPinColumns>,
                             ") VALUES (:id, ", kValues<kPinColumns>, ")");
constexpr auto kSetPin = Sql("set_pin", "UPDATE pin SET ", kSets<kPinColumns>, " WHERE id = :id");
constexpr auto kListPins = Sql("list_pins", "SELECT p.id, ", kSelect<kPinColumns>, ", p.name",
                               " FROM pin p ORDER BY p.id");

class ColumnsTest : public ::testing::Test {
 protected:
  ColumnsTest() {
    session_.Begin(Session::Time::max());
    session_.Run(kMakePins);
  }

  void Add(std::int64_t id, const Pin& pin) {
    Query query(session_, kAddPin);
    UseRecord(query.Use(id), kPinColumns, pin).Run();
  }
  Result<std::vector<Pin>> List() {
    std::int64_t id = 0;
    Query query(session_, kListPins);
    query.Into(id);
    return ReadRecords(query, kPinColumns);
  }

  TempFolder folder_;
  std::unique_ptr<Engine> engine_ =
      MakeSqliteEngine({.path = folder_ / "pins.db", .durable = false});
  Session session_{*engine_, std::chrono::seconds(5)};
};

Pin SamplePin() {
  return {.name = "null",
          .platform = *Platform::FromParts("linux", "arm64"),
          .digest = Digest::Of("bytes"),
          .size = 5'000'000'000,
          .held = true,
          .note = "",
          .role = Role::kOwner,
          .hashes = {"h1:a", "two\nlines"},
          .used_at = std::nullopt};
}

TEST(ColumnTextsTest, TheTextsNameEachColumnOnce) {
  EXPECT_EQ(std::string_view(kSelect<kPinColumns>),
            "p.name, p.os, p.arch, p.digest, p.size, p.held, COALESCE(p.note, ''), p.role, "
            "p.hashes, p.used_at, COALESCE(p.used_at, 0) + 1");
  EXPECT_EQ(std::string_view(kNames<kPinColumns>),
            "name, os, arch, digest, size, held, note, role, hashes, used_at");
  EXPECT_EQ(std::string_view(kValues<kPinColumns>),
            ":name, :os, :arch, :digest, :size, :held, NULLIF(:note, ''), :role, :hashes, "
            ":used_at");
  EXPECT_TRUE(Statement(kSetPin).text.starts_with("UPDATE pin SET name = :name, os = :os, "));
}

TEST_F(ColumnsTest, ARecordComesBackAsItWas) {
  Pin second = SamplePin();
  second.note = "kept";
  second.used_at = 41;
  Add(1, SamplePin());
  Add(2, second);
  Result<std::vector<Pin>> pins = List();
  ASSERT_TRUE(pins);
  ASSERT_EQ(pins->size(), 2u);
  const Pin &first = pins->front(), &last = pins->back();
  EXPECT_EQ(first.platform.ToString(), "linux_arm64");
  EXPECT_EQ(first.digest, Digest::Of("bytes"));
  EXPECT_EQ(first.size, 5'000'000'000u);
  EXPECT_TRUE(first.held);
  EXPECT_EQ(first.note, "");
  EXPECT_EQ(first.role, Role::kOwner);
  EXPECT_EQ(first.hashes, (std::vector<std::string>{"h1:a", "two\nlines"}));
  EXPECT_EQ(first.used_at, std::nullopt);
  EXPECT_EQ(first.age, 1);
  EXPECT_EQ(last.note, "kept");
  EXPECT_EQ(last.used_at, 41);
  EXPECT_EQ(last.age, 42);
}

TEST_F(ColumnsTest, WhatThisProgramNeverWritesIsCorrupt) {
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"UPDATE pin SET digest = 'short'", "short"},
      {"UPDATE pin SET os = ''", "operating system"},
      {"UPDATE pin SET role = 'king'", "role king"},
      {"UPDATE pin SET hashes = 'no end of line'", "a list with a broken line"}};
  for (const auto& [change, detail] : kCases) {
    session_.Run({"empty", "DELETE FROM pin"});
    Add(1, SamplePin());
    session_.Run({"change", change});
    Result<std::vector<Pin>> pins = List();
    ASSERT_FALSE(pins) << change;
    EXPECT_EQ(pins.error().kind, ErrorKind::kCorrupt);
    EXPECT_EQ(pins.error().message, "the server's catalog contains an invalid record; see its log");
    EXPECT_TRUE(pins.error().detail.contains(detail)) << pins.error().detail;
  }
}

TEST_F(ColumnsTest, ANullWhereNoneMayBeThrows) {
  Add(1, SamplePin());
  session_.Run({"change", "UPDATE pin SET size = NULL"});
  EXPECT_ANY_THROW(static_cast<void>(List()));
}

}  // namespace
}  // namespace koya::sql
