// Columns declares the columns of a record once: for the list of a SELECT, for that of an INSERT or
// UPDATE with its parameters, for reading a row and for binding a record.
//
//   constexpr auto kDraftColumns = Columns<DraftRecord>(
//       Column<&DraftRecord::id>("d.id"),
//       Column<&DraftRecord::address>("d.namespace", "d.type"));
//   constexpr auto kAddDraft = Sql("add_draft", "INSERT INTO draft (", kNames<kDraftColumns>,
//                                  ") VALUES (", kValues<kDraftColumns>, ")");
//   constexpr auto kListDrafts = Sql("list_drafts", "SELECT ", kSelect<kDraftColumns>,
//                                    " FROM draft d");
//
// The texts are put together by the compiler.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "catalog/sql/engine/cell.h"
#include "catalog/sql/engine/query.h"
#include "domain/withdrawal.h"

namespace koya::sql {

// Text is a piece of SQL.
template <std::size_t size>
struct Text {
  std::array<char, size> characters;
  constexpr operator std::string_view() const { return {characters.data(), size}; }
};

// SqlText is a Statement with its text: a constant, which the statement refers to.
template <std::size_t size>
struct SqlText {
  std::string_view name;
  Text<size> text;
  constexpr operator Statement() const { return {name, text}; }
};

template <class Part>
inline constexpr std::size_t kSizeOf = 0;
template <std::size_t size>
inline constexpr std::size_t kSizeOf<Text<size>> = size;
template <std::size_t size>
inline constexpr std::size_t kSizeOf<char[size]> = size - 1;

// Joins literals and texts.
template <class... Parts>
constexpr auto Join(const Parts&... parts) {
  Text<(kSizeOf<Parts> + ...)> all{};
  char* end = all.characters.data();
  ((end = std::ranges::copy(std::string_view(parts), end).out), ...);
  return all;
}

template <class... Parts>
constexpr auto Sql(std::string_view name, const Parts&... parts) {
  return SqlText<(kSizeOf<Parts> + ...)>{name, Join(parts...)};
}

// ColumnOf is the declaration of one member of a record: a column, or several where its type is
// stored in several.
template <class Record>
struct ColumnOf {
  std::array<std::string_view, 5> names;  // with the table's alias where a SELECT needs it
  std::span<const ColumnType> types;      // one for each name
  Status (*read)(StoredRow&, Record&);
  void (*use)(Query&, const Record&);  // null: read only
  std::string_view expression = {};
  bool null_when_empty = false;

  // A NULL of the column is "" in the record.
  constexpr ColumnOf OrNull() const {
    ColumnOf column = *this;
    column.null_when_empty = true;
    return column;
  }
  // A SELECT reads this instead of the column.
  constexpr ColumnOf As(std::string_view text) const {
    ColumnOf column = *this;
    column.expression = text;
    return column;
  }
};

template <class Record, class Member>
Record RecordOf(Member Record::*);
template <class Record, class Member>
Member MemberOf(Member Record::*);

// A member that an INSERT leaves out: it comes from another table, or the database sets it. `Codec`
// is as Cell.
template <auto member, class Codec = Cell<decltype(MemberOf(member))>>
constexpr auto ReadColumn(std::same_as<const char*> auto... names) {
  using Record = decltype(RecordOf(member));
  static_assert(sizeof...(names) == Codec::kTypes.size());
  return ColumnOf<Record>{
      .names = {names...},
      .types = Codec::kTypes,
      .read = [](StoredRow& row, Record& record) { return Codec::Read(row, record.*member); },
      .use = nullptr};
}

template <auto member, class Codec = Cell<decltype(MemberOf(member))>>
constexpr auto Column(std::same_as<const char*> auto... names) {
  using Record = decltype(RecordOf(member));
  ColumnOf<Record> column = ReadColumn<member, Codec>(names...);
  column.use = [](Query& query, const Record& record) { Codec::Use(query, record.*member); };
  return column;
}

template <class Record, std::size_t size>
struct ColumnList {
  Record (*blank)();
  std::array<ColumnOf<Record>, size> columns;
};

// `blank` makes the record that is read into, where a member's type has no empty value (Blank).
template <class Record, std::same_as<ColumnOf<Record>>... More>
constexpr auto Columns(std::type_identity_t<Record (*)()> blank, const ColumnOf<Record>& first,
                       const More&... more) {
  return ColumnList<Record, 1 + sizeof...(more)>{blank, {first, more...}};
}
template <class Record, std::same_as<ColumnOf<Record>>... More>
constexpr auto Columns(const ColumnOf<Record>& first, const More&... more) {
  return Columns<Record>([] { return Record{}; }, first, more...);
}

enum class ColumnText { kSelect, kNames, kValues, kSets };

// Passes the text to `put` in pieces.
constexpr void WriteColumns(const auto& list, ColumnText text, auto put) {
  std::string_view separator = "";
  for (const auto& column : list.columns) {
    if (text != ColumnText::kSelect && column.use == nullptr) continue;
    for (std::string_view full : std::span(column.names).first(column.types.size())) {
      const std::string_view name = full.substr(full.find('.') + 1);  // npos + 1 is 0
      put(std::exchange(separator, ", "));
      if (text == ColumnText::kNames || text == ColumnText::kSets) put(name);
      if (text == ColumnText::kNames) continue;
      if (text == ColumnText::kSets) put(" = ");
      const bool select = text == ColumnText::kSelect;
      if (column.null_when_empty) put(select ? "COALESCE(" : "NULLIF(");
      if (!select) put(":");
      put(!select ? name : column.expression.empty() ? full : column.expression);
      if (column.null_when_empty) put(", '')");
    }
  }
}

template <const auto& list, ColumnText text>
constexpr auto MakeText() {
  constexpr std::size_t size = [] {
    std::size_t sum = 0;
    WriteColumns(list, text, [&](std::string_view piece) { sum += piece.size(); });
    return sum;
  }();
  Text<size> all{};
  char* end = all.characters.data();
  WriteColumns(list, text,
               [&](std::string_view piece) { end = std::ranges::copy(piece, end).out; });
  return all;
}

// "d.id, COALESCE(d.note, '')", "id, note", ":id, NULLIF(:note, '')" and
// "id = :id, note = NULLIF(:note, '')".
template <const auto& list>
inline constexpr auto kSelect = MakeText<list, ColumnText::kSelect>();
template <const auto& list>
inline constexpr auto kNames = MakeText<list, ColumnText::kNames>();
template <const auto& list>
inline constexpr auto kValues = MakeText<list, ColumnText::kValues>();
template <const auto& list>
inline constexpr auto kSets = MakeText<list, ColumnText::kSets>();

// Binds the parameters of kValues or kSets.
template <class Record, std::size_t size>
Query& UseRecord(Query& query, const ColumnList<Record, size>& list,
                 const std::type_identity_t<Record>& record) {
  for (const ColumnOf<Record>& column : list.columns) {
    if (column.use != nullptr) column.use(query, record);
  }
  return query;
}

// RecordReader binds the columns of kSelect, and makes a record of each row. The query's values are
// all used before. Further columns are bound after it.
template <class Record>
class RecordReader {
 public:
  template <std::size_t size>
  RecordReader(Query& query, const ColumnList<Record, size>& list)
      : blank_(list.blank), columns_(list.columns), row_(CountColumns()) {
    for (const ColumnOf<Record>& column : columns_) {
      for (ColumnType type : column.types) row_.Bind(query, type);
    }
  }

  // REQUIRES: the query is at a row, of which nothing was read. Fails: kCorrupt.
  Result<Record> Read() {
    Result<Record> record = blank_();
    row_.Rewind();
    for (const ColumnOf<Record>& column : columns_) RETURN_IF_ERROR(column.read(row_, *record));
    return record;
  }

 private:
  std::size_t CountColumns() const {
    std::size_t count = 0;
    for (const ColumnOf<Record>& column : columns_) count += column.types.size();
    return count;
  }

  Record (*blank_)();
  std::span<const ColumnOf<Record>> columns_;
  StoredRow row_;
};

// Reads all rows of a query whose values are all used. Fails: kCorrupt.
template <class Record, std::size_t size>
Result<std::vector<Record>> ReadRecords(Query& query, const ColumnList<Record, size>& list) {
  std::vector<Record> records;
  RecordReader<Record> reader(query, list);
  while (query.Next()) {
    ASSIGN_OR_RETURN(Record record, reader.Read());
    records.push_back(std::move(record));
  }
  return records;
}

// The columns of a version's withdrawal, which module_version and provider_release have alike.
//
// A version that is not withdrawn has NULL for the time, the name and the reason.
template <>
struct Cell<std::optional<Withdrawal>> {
  using enum ColumnType;
  static constexpr std::array kTypes{kNullableNumber, kNullableText, kNullableText, kText, kNumber};
  static Status Read(StoredRow& row, std::optional<Withdrawal>& value) {
    const auto at = row.Take<std::optional<std::int64_t>>();
    value = Withdrawal{.at = at.value_or(0),
                       .by = row.Take<std::optional<std::string>>().value_or(""),
                       .reason = row.Take<std::optional<std::string>>().value_or(""),
                       .successor = row.Take<std::string>(),
                       .kept_until = row.Take<std::int64_t>()};
    if (!at) value.reset();
    return {};
  }
};

// Whether the version of a row is withdrawn. It is read beside the version's own record.
struct StoredState {
  std::optional<Withdrawal> withdrawal;
};

inline constexpr auto kStateColumns =
    Columns(ReadColumn<&StoredState::withdrawal>("withdrawn_at", "withdrawn_by", "withdrawn_reason",
                                                 "withdrawn_successor", "withdrawn_kept_until"));

}  // namespace koya::sql
