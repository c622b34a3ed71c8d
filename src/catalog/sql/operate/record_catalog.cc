#include "catalog/record_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"

namespace koya::sql {
namespace {

struct CopiedTable {
  std::string_view name;
  std::array<std::string_view, 5> key;  // the columns of its primary key, then ""
  std::size_t page = 500;               // rows that are read at a time: less where texts are long
  bool numbered = false;                // the engine numbers its rows by the column "id"
};

// An order in which no row refers to a later one.
constexpr CopiedTable kCopied[] = {
    {"account", {"id"}},
    {"account_password", {"account_id"}},
    {"account_group", {"name_key"}},
    {"group_member", {"group_key", "account_id", "source"}},
    {"namespace", {"name_key"}},
    {"namespace_grant", {"namespace_key", "grantee_kind", "grantee"}},
    {"default_visibility", {"only_row"}},
    {"site_name", {"only_row"}},
    {"identity_provider", {"name_key"}},
    {"identity_group", {"provider_key", "position"}},
    {"external_identity", {"provider_key", "subject"}},
    {"session", {"secret"}},
    {"trust", {"id"}},
    {"token", {"name"}},
    {"used_job_token", {"namespace_key", "digest"}},
    {"watch", {"account_id", "subject"}},
    {"notified_user", {"account_id"}},
    {"module", {"id"}, 500, true},
    {"module_version", {"id"}, 500, true},
    {"module_contents", {"module_key", "version"}, 8},
    {"provider", {"id"}, 500, true},
    {"provider_release", {"id"}, 500, true},
    {"provider_package", {"release_id", "os", "arch"}},
    {"signing_key", {"namespace", "fingerprint"}},
    {"draft", {"id"}},
    {"draft_file", {"draft_id", "name"}},
    {"release_inside", {"release_id"}},
    {"release_doc", {"release_id", "language", "kind", "name"}},
    {"release_schema", {"release_id", "kind", "name"}},
    {"attachment", {"id"}, 500, true},
    {"upstream_document", {"id"}, 500, true},
    {"upstream_document_body", {"document_id"}, 8},
    {"upstream_provider", {"id"}, 500, true},
    {"upstream_release", {"id"}, 100, true},
    {"upstream_package", {"id"}, 100, true},
    {"upstream_module", {"id"}, 500, true},
    {"upstream_module_version", {"id"}, 500, true},
    {"upstream_attachment", {"release_id", "name"}},
    {"held_blob", {"digest"}},
    {"mirror_count", {"day", "kind"}},
    {"policy_revision", {"revision"}, 8},
    {"admission", {"subject", "version"}},
    {"policy_count", {"revision", "rule"}},
    {"usage_item", {"id"}, 500, true},
    {"usage_name", {"id"}, 500, true},
    {"usage_day", {"item", "day", "principal", "label", "client"}},
    {"usage_month", {"item", "month", "client"}},
    {"usage_batch", {"id"}},
    {"sent_bytes", {"day", "sent_to"}},
    {"audit", {"id"}, 500, true},
    {"audit_chain", {"id"}},
};

constexpr TableLeftOut kLeftOut[] = {
    {"schema_migration", "each program migrates its own catalog"},
    {"installation", "a copy is another catalog, with an identity of its own"},
    {"replica", "processes that run on this catalog"},
    {"lease", "work of those processes"},
    {"change", "what caches of those processes follow"},
    {"blob_object", "names of objects in one bucket"},
    {"login_code", "valid for a minute"},
    {"setup_token", "each start without an administrator makes another"},
    {"search_subject", "the search index is rebuilt from contents"},
    {"search_entry", "as search_subject"},
    {"search_spelling", "as search_subject"},
    {"search_word", "as search_subject"},
};

// A migration wrote it: a catalog that has nothing else is empty.
constexpr std::string_view kAuditChain = "audit_chain";
constexpr Statement kCountChained{"count_chained_audit",
                                  "SELECT COUNT(*) FROM audit_chain WHERE head_sequence > 0"};
constexpr Statement kDropFirstAnchor{"drop_first_audit_anchor", "DELETE FROM audit_chain"};

std::size_t KeyColumns(const CopiedTable& table) {
  return static_cast<std::size_t>(std::ranges::find(table.key, "") - table.key.begin());
}

const CopiedTable* FindCopied(std::string_view name) {
  const auto* found = std::ranges::find(kCopied, name, &CopiedTable::name);
  return found == std::end(kCopied) ? nullptr : found;
}

// ---- the columns of a table

struct TableColumns {
  std::vector<std::string> names;  // sorted
  std::vector<bool> numbers;       // or texts
};

TableColumns ReadColumns(Session& session, std::string_view table) {
  const std::string text = fmt::format(
      "SELECT column_name, CASE WHEN lower(data_type) LIKE '%int%' THEN 1 ELSE 0 END "
      "FROM {{{{columns of}}}} '{}' {{{{end of columns}}}}",
      table);
  std::vector<std::pair<std::string, bool>> found;
  std::string name;
  std::int64_t number = 0;
  Query query(session, Statement{"list_columns", text});
  query.Into(name).Into(number);
  while (query.Next()) found.emplace_back(name, number == 1);
  std::ranges::sort(found);
  TableColumns columns;
  for (auto& [column, is_number] : found) {
    columns.names.push_back(std::move(column));
    columns.numbers.push_back(is_number);
  }
  return columns;
}

// ---- reading

std::string KeyList(const CopiedTable& table) {
  return fmt::format("{}", fmt::join(std::span(table.key).first(KeyColumns(table)), ", "));
}

std::string KeyParameters(const CopiedTable& table) {
  std::string text;
  for (std::size_t i = 0; i < KeyColumns(table); ++i) text += fmt::format(", :k{}", i);
  return text.substr(2);
}

// Reads a table page by page: a query of all its rows would hold them in memory on PostgreSQL.
class TableReader {
 public:
  TableReader(Session& session, const CopiedTable& table)
      : session_(session), table_(table), columns_(ReadColumns(session, table.name)) {
    for (std::string_view each : std::span(table.key).first(KeyColumns(table))) {
      key_.push_back(static_cast<std::size_t>(std::ranges::find(columns_.names, each) -
                                              columns_.names.begin()));
    }
    numbers_.resize(columns_.names.size());
    texts_.resize(columns_.names.size());
  }

  Status PassAll(const RecordCatalog::Sink& sink) {
    RETURN_IF_ERROR(sink(RecordTable{.name = std::string(table_.name), .columns = columns_.names}));
    while (true) {
      ASSIGN_OR_RETURN(const std::size_t rows, PassPage(sink));
      if (rows < table_.page) return {};
    }
  }

 private:
  Result<std::size_t> PassPage(const RecordCatalog::Sink& sink) {
    const std::string after =
        last_.empty() ? ""
                      : fmt::format(" WHERE ({}) > ({})", KeyList(table_), KeyParameters(table_));
    const std::string text =
        fmt::format("SELECT {} FROM {}{} ORDER BY {} LIMIT {}", fmt::join(columns_.names, ", "),
                    table_.name, after, KeyList(table_), table_.page);
    Query query(session_, Statement{"read_records", text});
    for (const RecordValue& value : last_) {
      if (const auto* number = std::get_if<std::int64_t>(&value)) query.Use(*number);
      if (const auto* word = std::get_if<std::string>(&value)) query.Use(*word);
    }
    for (std::size_t i = 0; i < columns_.names.size(); ++i) {
      columns_.numbers[i] ? query.Into(numbers_[i]) : query.Into(texts_[i]);
    }
    std::size_t rows = 0;
    RecordRow row;
    for (; query.Next(); ++rows) {
      ASSIGN_OR_RETURN(row, TakeRow());
      RETURN_IF_ERROR(sink(row));
    }
    if (rows == 0) return rows;
    last_.clear();
    for (std::size_t each : key_) last_.push_back(row[each]);
    return rows;
  }

  Result<RecordRow> TakeRow() {
    RecordRow row(columns_.names.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (columns_.numbers[i] && numbers_[i]) row[i] = *numbers_[i];
      if (columns_.numbers[i] || !texts_[i]) continue;
      if (!IsStorable(*texts_[i])) {
        return Fail(ErrorKind::kCorrupt,
                    fmt::format("the column {} of the table {} has a text that is not UTF-8",
                                columns_.names[i], table_.name));
      }
      row[i] = *std::move(texts_[i]);
    }
    return row;
  }

  Session& session_;
  const CopiedTable& table_;
  const TableColumns columns_;
  std::vector<std::size_t> key_;  // indexes of columns
  RecordRow last_;                // the key of the last row that was read
  std::vector<std::optional<std::int64_t>> numbers_;
  std::vector<std::optional<std::string>> texts_;
};

// ---- writing

Failure NotEmpty(std::string_view table) {
  return FailConflict(
      "the catalog is not empty: its table {} has rows. Name a catalog that no server has used, or "
      "remove this one",
      table);
}

Status RequireNoRows(Session& session) {
  for (const CopiedTable& table : kCopied) {
    std::int64_t count = 0;
    const std::string text =
        fmt::format("SELECT COUNT(*) FROM (SELECT 1 AS one FROM {} LIMIT 1) AS first", table.name);
    const Statement any{"count_some_records", text};
    Query query(session, table.name == kAuditChain ? kCountChained : any);
    query.Into(count).Next();
    if (count > 0) return NotEmpty(table.name);
  }
  return {};
}

// Adds the rows of one table, many in one statement.
class TableWriter {
 public:
  static Result<TableWriter> Create(Session& session, RecordTable table) {
    const CopiedTable* copied = FindCopied(table.name);
    if (copied == nullptr) {
      return FailInvalid("the records have the table \"{}\", which this version of koya lacks",
                         table.name);
    }
    const TableColumns columns = ReadColumns(session, table.name);
    for (const std::string& each : table.columns) {
      if (std::ranges::binary_search(columns.names, each)) continue;
      return FailInvalid("the records have the column {}.{}, which this version of koya lacks",
                         table.name, each);
    }
    return TableWriter(session, *copied, std::move(table), columns);
  }

  Status Add(RecordRow row) {
    if (row.size() != table_.columns.size()) return DoesNotFit();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (std::holds_alternative<std::monostate>(row[i])) continue;
      if (std::holds_alternative<std::int64_t>(row[i]) != numbers_[i]) return DoesNotFit();
      const auto* text = std::get_if<std::string>(&row[i]);
      if (text == nullptr) continue;
      if (!IsStorable(*text)) return DoesNotFit();
      waiting_bytes_ += text->size();
    }
    waiting_.push_back(std::move(row));
    if (waiting_.size() == kRows || waiting_bytes_ > kBytes) Insert();
    return {};
  }

  // Adds the last rows, and has the engine number later ones after them.
  void Finish() {
    if (!waiting_.empty()) Insert();
    if (!copied_->numbered || session_->dialect() == Dialect::kSqlite) return;
    const std::string text = fmt::format(
        "SELECT setval(pg_get_serial_sequence('{0}', 'id'), COALESCE(MAX(id), 1), MAX(id) IS NOT "
        "NULL) FROM {0}",
        table_.name);
    std::int64_t next = 0;
    Query query(*session_, Statement{"number_records", text});
    query.Into(next).Next();
  }

 private:
  static constexpr std::size_t kRows = 100;
  static constexpr std::size_t kBytes = 1 << 20;

  TableWriter(Session& session, const CopiedTable& copied, RecordTable table,
              const TableColumns& columns)
      : session_(&session), copied_(&copied), table_(std::move(table)) {
    for (const std::string& each : table_.columns) {
      const auto at = std::ranges::find(columns.names, each) - columns.names.begin();
      numbers_.push_back(columns.numbers[static_cast<std::size_t>(at)]);
    }
  }

  Failure DoesNotFit() const {
    return FailInvalid("a row of the table {} does not fit its columns", table_.name);
  }

  void Insert() {
    std::string text =
        fmt::format("INSERT INTO {} ({}) VALUES ", table_.name, fmt::join(table_.columns, ", "));
    std::size_t parameters = 0;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      text += i == 0 ? "(" : "), (";
      for (std::size_t j = 0; j < table_.columns.size(); ++j) {
        text += fmt::format("{}:p{}", j == 0 ? "" : ", ", parameters++);
      }
    }
    text += ")";
    Query query(*session_, Statement{"write_records", text});
    for (const RecordRow& row : waiting_) {
      for (const RecordValue& value : row) UseValue(query, value);
    }
    query.Run();
    waiting_.clear();
    waiting_bytes_ = 0;
  }

  static void UseValue(Query& query, const RecordValue& value) {
    if (const auto* word = std::get_if<std::string>(&value)) {
      query.Use(*word);
    } else {  // the engine takes NULL for a column of either type
      const auto* number = std::get_if<std::int64_t>(&value);
      query.Use(number == nullptr ? std::nullopt : std::optional(*number));
    }
  }

  Session* session_;
  const CopiedTable* copied_;
  RecordTable table_;
  std::vector<bool> numbers_;
  std::vector<RecordRow> waiting_;
  std::size_t waiting_bytes_ = 0;
};

Status WriteAllRecords(Session& session, const RecordCatalog::Source& next) {
  RETURN_IF_ERROR(RequireNoRows(session));
  session.Run(kDropFirstAnchor);
  std::optional<TableWriter> writer;
  while (true) {
    ASSIGN_OR_RETURN(std::optional<RecordItem> item, next());
    if (!item) break;
    if (auto* row = std::get_if<RecordRow>(&*item)) {
      if (!writer) return FailInvalid("the records begin with a row, not with a table");
      RETURN_IF_ERROR(writer->Add(std::move(*row)));
      continue;
    }
    if (writer) writer->Finish();
    ASSIGN_OR_RETURN(writer, TableWriter::Create(session, std::get<RecordTable>(*std::move(item))));
  }
  if (!writer) return FailInvalid("there are no records");
  writer->Finish();
  return {};
}

Status ReadAllRecords(Session& session, const RecordCatalog::Sink& sink) {
  for (const CopiedTable& table : kCopied) {
    RETURN_IF_ERROR(TableReader(session, table).PassAll(sink));
  }
  return {};
}

}  // namespace
}  // namespace koya::sql

namespace koya {

Status RecordCatalog::ReadRecords(const Sink& sink) {
  return transactions_.database().ReadSnapshot(
      [&sink](sql::Session& session) { return sql::ReadAllRecords(session, sink); });
}

Status RecordCatalog::WriteRecords(const Source& next) {
  return transactions_.database().WriteNow(
      [&next](sql::Session& session) { return sql::WriteAllRecords(session, next); });
}

Status RecordCatalog::RequireEmpty() {
  return transactions_.database().ReadSnapshot(
      [](sql::Session& session) { return sql::RequireNoRows(session); });
}

std::vector<std::string_view> RecordCatalog::CopiedTables() {
  std::vector<std::string_view> names;
  for (const sql::CopiedTable& each : sql::kCopied) names.push_back(each.name);
  return names;
}

std::vector<TableLeftOut> RecordCatalog::TablesLeftOut() {
  return {std::begin(sql::kLeftOut), std::end(sql::kLeftOut)};
}

}  // namespace koya
