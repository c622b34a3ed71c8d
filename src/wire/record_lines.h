// Records of a catalog as JSON lines: {"table":"account","columns":["admin",…]}, then a line like
// [0,"text",null] for each row of that table. The same record is the same line on every engine.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/catalog_records.h"

namespace koya::wire {

// Appends the line with its line end.
void AppendRecordLine(const RecordItem& item, std::string& out);

// `line` without its line end. Fails: kInvalid.
Result<RecordItem> ParseRecordLine(std::string_view line);

// Whether a line of AppendRecordLine begins a table.
constexpr bool IsTableLine(std::string_view line) { return line.starts_with('{'); }

}  // namespace koya::wire
