// Cell<T> is how a value of a C++ type is stored: in which columns, and how it is read and bound.
// Enums are stored by their names, lists as JoinList encodes them, digests in hexadecimal.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/access.h"
#include "domain/account_record.h"
#include "domain/archive_kind.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/namespace_record.h"
#include "domain/provider_record.h"
#include "domain/source_repository.h"

namespace koya::sql {

// The error for a row that this program did not write.
Error StrangeRow(const Error& cause);
Error UnknownName(std::string_view what, std::string_view name);
// A parsed column, or that error.
template <class T>
Result<T> Stored(Result<T> parsed) {
  if (parsed || parsed.error().kind == ErrorKind::kCorrupt) return parsed;
  return Failure(StrangeRow(parsed.error()));
}

enum class ColumnType : std::uint8_t { kText, kNumber, kNullableText, kNullableNumber };

// StoredRow has the columns of a query's current row, for one record. It stays in place while the
// query runs.
class StoredRow {
 public:
  explicit StoredRow(std::size_t columns) { values_.reserve(columns); }
  StoredRow(const StoredRow&) = delete;
  StoredRow& operator=(const StoredRow&) = delete;

  // Binds the query's next column. REQUIRES: fewer than `columns` are bound.
  void Bind(Query& query, ColumnType type);
  // Starts again at the first column.
  void Rewind() { next_ = 0; }
  // Takes the next column, which was bound as this type.
  template <class T>
  T Take() {
    return std::move(std::get<T>(values_[next_++]));
  }

 private:
  // In the order of ColumnType.
  std::vector<std::variant<std::string, std::int64_t, std::optional<std::string>,
                           std::optional<std::int64_t>>>
      values_;
  std::size_t next_ = 0;
};

// Read fails with kCorrupt when a column has a value that this program never writes.
template <class T>
struct Cell;

// A value that a column has as it is, or that is converted to its type.
template <class T, class Column, ColumnType type>
struct PlainCell {
  static constexpr std::array kTypes{type};
  static Status Read(StoredRow& row, T& value) {
    value = static_cast<T>(row.Take<Column>());
    return {};
  }
  static void Use(Query& query, const T& value) { query.Use(static_cast<const Column&>(value)); }
};

// A value that is stored in texts: `parse` makes it from them, and each of `texts` makes one of it.
template <class T, auto parse, auto... texts>
struct TextCell {
  static constexpr std::array kTypes{(static_cast<void>(texts), ColumnType::kText)...};
  static Status Read(StoredRow& row, T& value) {
    std::array<std::string, sizeof...(texts)> parts;
    for (std::string& part : parts) part = row.Take<std::string>();
    ASSIGN_OR_RETURN(value, Stored<T>(std::apply(parse, parts)));
    return {};
  }
  static void Use(Query& query, const T& value) { (query.Use(std::invoke(texts, value)), ...); }
};

// A value that is stored as its members are.
template <class T, auto... members>
struct MembersCell {
  template <auto member>
  using CellOf = Cell<std::remove_cvref_t<decltype(std::declval<T&>().*member)>>;
  static constexpr auto kTypes = [] {
    std::array<ColumnType, (CellOf<members>::kTypes.size() + ...)> types{};
    auto end = types.begin();
    ((end = std::ranges::copy(CellOf<members>::kTypes, end).out), ...);
    return types;
  }();
  static Status Read(StoredRow& row, T& value) {
    Status status;
    static_cast<void>(((status = CellOf<members>::Read(row, value.*members)).has_value() && ...));
    return status;
  }
  static void Use(Query& query, const T& value) {
    (CellOf<members>::Use(query, value.*members), ...);
  }
};

// A value of an enum, which is stored by its name. Errors call it `what`.
template <class Enum, auto parse, auto name, const std::string_view& what>
struct NamedCell {
  static constexpr std::array kTypes{ColumnType::kText};
  static Status Read(StoredRow& row, Enum& value) {
    const auto text = row.Take<std::string>();
    const std::optional<Enum> parsed = parse(text);
    if (!parsed) return Failure(UnknownName(what, text));
    value = *parsed;
    return {};
  }
  static void Use(Query& query, const Enum& value) { query.Use(name(value)); }
};

std::optional<AccountKind> ParseAccountKind(std::string_view name);

#define KOYA_NAMED_CELL(Enum, what)                       \
  inline constexpr std::string_view k##Enum##Word = what; \
  template <>                                             \
  struct Cell<Enum> : NamedCell<Enum, &Parse##Enum, &Enum##Name, k##Enum##Word> {}
KOYA_NAMED_CELL(AccountKind, "account kind");
KOYA_NAMED_CELL(ArchiveKind, "archive kind");
KOYA_NAMED_CELL(PublishRule, "rule for publishing");
KOYA_NAMED_CELL(Role, "role");
KOYA_NAMED_CELL(Scope, "token scope");
KOYA_NAMED_CELL(Visibility, "visibility");
#undef KOYA_NAMED_CELL
template <>
struct Cell<std::optional<AccountKind>> {
  static constexpr std::array kTypes{ColumnType::kNullableText};
  static Status Read(StoredRow& row, std::optional<AccountKind>& value);
};

template <>
struct Cell<std::string> : PlainCell<std::string, std::string, ColumnType::kText> {};
template <>
struct Cell<bool> : PlainCell<bool, std::int64_t, ColumnType::kNumber> {};
template <>
struct Cell<std::int64_t> : PlainCell<std::int64_t, std::int64_t, ColumnType::kNumber> {};
template <>
struct Cell<std::uint64_t> : PlainCell<std::uint64_t, std::int64_t, ColumnType::kNumber> {};
template <>
struct Cell<std::optional<std::int64_t>>
    : PlainCell<std::optional<std::int64_t>, std::optional<std::int64_t>,
                ColumnType::kNullableNumber> {};

template <>
struct Cell<std::vector<std::string>> : TextCell<std::vector<std::string>, &SplitList, &JoinList> {
};
template <>
struct Cell<Digest> : TextCell<Digest, &Digest::Parse, &Digest::hex> {};
template <>
struct Cell<Version> : TextCell<Version, &Version::Parse, &Version::ToString> {};
template <>
struct Cell<HostName> : TextCell<HostName, &HostName::ParseWire, &HostName::ascii> {};
template <>
struct Cell<Platform> : TextCell<Platform, &Platform::FromParts, &Platform::os, &Platform::arch> {};
template <>
struct Cell<ModuleAddress> : TextCell<ModuleAddress, &ModuleAddress::FromParts, &ModuleAddress::ns,
                                      &ModuleAddress::name, &ModuleAddress::system> {};
template <>
struct Cell<ProviderAddress> : TextCell<ProviderAddress, &ProviderAddress::FromParts,
                                        &ProviderAddress::ns, &ProviderAddress::type> {};
// "": none is known.
template <>
struct Cell<std::optional<SourceRepository>> {
  static constexpr std::array kTypes{ColumnType::kText};
  static Status Read(StoredRow& row, std::optional<SourceRepository>& value);
  static void Use(Query& query, const std::optional<SourceRepository>& value) {
    query.Use(value ? value->ToString() : std::string());
  }
};

template <>
struct Cell<ReleaseDocument>
    : MembersCell<ReleaseDocument, &ReleaseDocument::digest, &ReleaseDocument::size> {};

// Blank converts to a value of each type that has no empty one: what a record has there until its
// columns are read.
struct Blank {
  operator Digest() const { return Digest(Sha256Bytes{}); }
  operator HostName() const;
  operator ModuleAddress() const;
  operator Platform() const;
  operator ProviderAddress() const;
  operator Version() const;
};

}  // namespace koya::sql
