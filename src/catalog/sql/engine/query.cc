#include "catalog/sql/engine/query.h"

#include <soci/soci.h>

#include <deque>
#include <utility>
#include <vector>

#include "domain/use.h"

namespace koya::sql {
namespace {

// A column that may be NULL: read here, then handed on.
template <class Stored, class Wanted>
struct NullableColumn {
  std::optional<Wanted>* target;
  Stored value{};
  soci::indicator indicator = soci::i_null;

  void HandOn() const {
    target->reset();
    if (indicator == soci::i_ok) *target = static_cast<Wanted>(value);
  }
};

// SOCI exchanges long long; std::int64_t is long here.
struct NumberColumn {
  std::int64_t* target;
  long long value = 0;
};

// A statement that is kept for the next run keeps the last row, too: not one as long as this.
constexpr std::size_t kLongText = std::size_t{256} << 10;

struct NumberInput {
  long long value = 0;
  soci::indicator indicator = soci::i_ok;
};

}  // namespace

struct Query::Impl {
  Impl(Session& of, std::string sql) : session(of), text(std::move(sql)) {
    soci::session& connection = session.connection();
    statement = session.kept_statements().TakeStatement(text);
    prepared = statement != nullptr;
    if (!prepared) statement = std::make_unique<soci::statement>(connection);
  }
  ~Impl() {
    if (!at_rest || long_text || statement == nullptr || !session.connected()) return;
    if (!session.engine().Rest(*statement)) return;
    statement->bind_clean_up();
    session.kept_statements().Put(std::move(text), std::move(statement));
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool Execute() {
    if (!prepared) {
      statement->alloc();
      // "One time": on PostgreSQL a repeatable statement would take three round trips.
      statement->prepare(text, soci::details::st_one_time_query);
    }
    statement->define_and_bind();
    executed = true;
    return statement->execute(true);
  }

  void HandOnColumns() {
    for (const NumberColumn& column : numbers) *column.target = column.value;
    for (const auto& column : nullable_numbers) column.HandOn();
    for (const auto& column : nullable_texts) {
      long_text = long_text || column.value.size() > kLongText;
      column.HandOn();
    }
    for (const std::string* each : texts) long_text = long_text || each->size() > kLongText;
  }

  // Deques: SOCI keeps pointers to what they hold. Declared before the statement that uses them.
  std::deque<std::string> text_inputs;
  std::deque<NumberInput> number_inputs;
  std::deque<NumberColumn> numbers;
  std::vector<const std::string*> texts;
  std::deque<NullableColumn<long long, std::int64_t>> nullable_numbers;
  std::deque<NullableColumn<std::string, std::string>> nullable_texts;
  Session& session;
  std::string text;
  std::unique_ptr<soci::statement> statement;
  bool prepared = false;
  bool executed = false;
  bool long_text = false;  // one went in or came out
  bool at_rest = false;    // no call of it failed, nor is under way
};

Query::Query(Session& session, const Statement& statement)
    : impl_(std::make_unique<Impl>(session, Render(session.dialect(), statement.text))) {
  session.set_running(statement.name);
}

Query::~Query() = default;

Query& Query::Use(std::string_view value) {
  const std::string& kept = impl_->text_inputs.emplace_back(value);
  impl_->long_text = impl_->long_text || kept.size() > kLongText;
  impl_->statement->exchange(soci::use(kept));
  return *this;
}

Query& Query::Use(std::int64_t value) { return Use(std::optional(value)); }

Query& Query::Use(std::optional<std::int64_t> value) {
  NumberInput& kept = impl_->number_inputs.emplace_back();
  kept.value = value.value_or(0);
  kept.indicator = value ? soci::i_ok : soci::i_null;
  const long long& number = kept.value;
  impl_->statement->exchange(soci::use(number, kept.indicator));
  return *this;
}

Query& Query::Into(std::string& value) {
  impl_->texts.push_back(&value);
  impl_->statement->exchange(soci::into(value));
  return *this;
}

Query& Query::Into(std::int64_t& value) {
  NumberColumn& column = impl_->numbers.emplace_back(NumberColumn{&value});
  impl_->statement->exchange(soci::into(column.value));
  return *this;
}

Query& Query::Into(std::optional<std::string>& value) {
  auto& column = impl_->nullable_texts.emplace_back();
  column.target = &value;
  impl_->statement->exchange(soci::into(column.value, column.indicator));
  return *this;
}

Query& Query::Into(std::optional<std::int64_t>& value) {
  auto& column = impl_->nullable_numbers.emplace_back();
  column.target = &value;
  impl_->statement->exchange(soci::into(column.value, column.indicator));
  return *this;
}

bool Query::Next() {
  impl_->at_rest = false;
  const bool row = impl_->executed ? impl_->statement->fetch() : impl_->Execute();
  if (row) impl_->HandOnColumns();
  impl_->at_rest = true;
  return row;
}

std::int64_t Query::Run() {
  Next();
  return impl_->statement->get_affected_rows();
}

}  // namespace koya::sql
