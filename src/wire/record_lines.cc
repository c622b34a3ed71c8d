#include "wire/record_lines.h"

#include <boost/json.hpp>
#include <utility>

#include "wire/json_reader.h"
#include "wire/json_text.h"

namespace koya::wire {
namespace {

constexpr std::string_view kTableStart = "{\"table\":";
constexpr std::string_view kColumnsStart = ",\"columns\":[";

void AppendTable(const RecordTable& table, std::string& out) {
  out += kTableStart;
  AppendJsonText(table.name, out);
  out += kColumnsStart;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    AppendJsonText(table.columns[i], out);
  }
  out += "]}";
}

void AppendRow(const RecordRow& row, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out += ',';
    if (const auto* text = std::get_if<std::string>(&row[i])) {
      AppendJsonText(*text, out);
    } else if (const auto* number = std::get_if<std::int64_t>(&row[i])) {
      out += std::to_string(*number);
    } else {
      out += "null";
    }
  }
  out += ']';
}

Failure StrangeLine() {
  return FailInvalid("a line of the records is neither a table nor a row of one");
}

Result<RecordItem> ReadTable(const boost::json::object& object) {
  const boost::json::value* name = object.if_contains("table");
  const boost::json::value* columns = object.if_contains("columns");
  if (name == nullptr || !name->is_string()) return StrangeLine();
  if (columns == nullptr || !columns->is_array()) return StrangeLine();
  RecordTable table{.name = std::string(name->get_string()), .columns = {}};
  for (const boost::json::value& each : columns->get_array()) {
    if (!each.is_string()) return StrangeLine();
    table.columns.emplace_back(each.get_string());
  }
  return table;
}

Result<RecordItem> ReadRow(const boost::json::array& array) {
  RecordRow row;
  row.reserve(array.size());
  for (const boost::json::value& each : array) {
    if (each.is_null()) {
      row.emplace_back();
    } else if (each.is_int64()) {
      row.emplace_back(each.get_int64());
    } else if (each.is_string()) {
      row.emplace_back(std::string(each.get_string()));
    } else {
      return StrangeLine();
    }
  }
  return row;
}

}  // namespace

void AppendRecordLine(const RecordItem& item, std::string& out) {
  if (const auto* table = std::get_if<RecordTable>(&item)) {
    AppendTable(*table, out);
  } else {
    AppendRow(std::get<RecordRow>(item), out);
  }
  out += '\n';
}

Result<RecordItem> ParseRecordLine(std::string_view line) {
  // A row has few values: its memory is that of its texts.
  constexpr std::size_t kOfValues = 1 << 20;
  boost::system::error_code error;
  const boost::json::value value =
      ParseBounded(line, {.storage = 4 * line.size() + kOfValues}, error);
  if (error) return StrangeLine();
  if (const boost::json::object* object = value.if_object()) return ReadTable(*object);
  if (const boost::json::array* array = value.if_array()) return ReadRow(*array);
  return StrangeLine();
}

}  // namespace koya::wire
