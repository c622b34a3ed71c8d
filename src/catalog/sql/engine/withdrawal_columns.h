// The columns of a version's withdrawal, which module_version and provider_release have alike.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "catalog/sql/engine/columns.h"
#include "domain/withdrawal.h"

namespace koya::sql {

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
