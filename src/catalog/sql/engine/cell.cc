#include "catalog/sql/engine/cell.h"

#include <fmt/format.h>

#include "base/text.h"

namespace koya::sql {
namespace {

template <class T>
const T& Parsed(Result<T> (*parse)()) {
  static const T value = parse().value();
  return value;
}

}  // namespace

Error StrangeRow(const Error& cause) {
  return {ErrorKind::kCorrupt, "the server's catalog contains an invalid record; see its log",
          cause.message};
}

Error UnknownName(std::string_view what, std::string_view name) {
  return StrangeRow({ErrorKind::kCorrupt, fmt::format("{} {}", what, Printable(name)), {}});
}

void StoredRow::Bind(Query& query, ColumnType type) {
  auto& value = values_.emplace_back();
  if (type == ColumnType::kNumber) value.emplace<1>();
  if (type == ColumnType::kNullableText) value.emplace<2>();
  if (type == ColumnType::kNullableNumber) value.emplace<3>();
  std::visit([&query](auto& column) { query.Into(column); }, value);
}

Status Cell<std::optional<SourceRepository>>::Read(StoredRow& row,
                                                   std::optional<SourceRepository>& value) {
  const auto text = row.Take<std::string>();
  value.reset();
  if (text.empty()) return {};
  ASSIGN_OR_RETURN(value, Stored(SourceRepository::Parse(text)));
  return {};
}

std::optional<AccountKind> ParseAccountKind(std::string_view name) {
  for (AccountKind each : {AccountKind::kUser, AccountKind::kService}) {
    if (name == AccountKindName(each)) return each;
  }
  return std::nullopt;
}

Status Cell<std::optional<AccountKind>>::Read(StoredRow& row, std::optional<AccountKind>& value) {
  const auto text = row.Take<std::optional<std::string>>();
  value.reset();
  if (!text) return {};
  value = ParseAccountKind(*text);
  if (!value) return Failure(UnknownName(kAccountKindWord, *text));
  return {};
}

Blank::operator HostName() const {
  return Parsed<HostName>([] { return HostName::ParseWire("example.com"); });
}
Blank::operator ModuleAddress() const {
  return Parsed<ModuleAddress>([] { return ModuleAddress::FromParts("ns", "name", "system"); });
}
Blank::operator Platform() const {
  return Parsed<Platform>([] { return Platform::FromParts("linux", "amd64"); });
}
Blank::operator ProviderAddress() const {
  return Parsed<ProviderAddress>([] { return ProviderAddress::FromParts("ns", "type"); });
}
Blank::operator Version() const {
  return Parsed<Version>([] { return Version::Parse("1.0.0"); });
}

}  // namespace koya::sql
