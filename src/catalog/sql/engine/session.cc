#include "catalog/sql/engine/session.h"

#include <soci/soci.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

namespace koya::sql {

StatementCache::StatementCache() = default;
StatementCache::~StatementCache() = default;

std::unique_ptr<soci::statement> StatementCache::TakeStatement(std::string_view text) {
  const std::size_t hash = std::hash<std::string_view>()(text);
  auto found = std::ranges::find_if(
      kept_, [&](const Kept& each) { return each.hash == hash && each.text == text; });
  if (found == kept_.end()) return nullptr;
  std::unique_ptr<soci::statement> statement = std::move(found->statement);
  kept_.erase(found);
  return statement;
}

void StatementCache::Put(std::string text, std::unique_ptr<soci::statement> statement) {
  if (text.size() > kLongestText) return;
  if (kept_.size() == kMost) kept_.erase(kept_.begin());
  const std::size_t hash = std::hash<std::string_view>()(text);
  kept_.push_back({hash, std::move(text), std::move(statement)});
}

void StatementCache::Clear() { kept_.clear(); }

namespace {

class CutOff : public std::runtime_error {
 public:
  CutOff() : std::runtime_error("its deadline has passed") {}
};

}  // namespace

Session::Session(Engine& engine, std::chrono::milliseconds patience)
    : engine_(engine), patience_(patience) {}
Session::~Session() { Disconnect(); }

soci::session& Session::connection() {
  if (!connection_) Open();
  if (cut()) throw CutOff();
  return *connection_;
}

void Session::Open() {
  running_ = "connect";
  std::unique_ptr<soci::session> opened = engine_.Connect();
  {
    std::lock_guard lock(mutex_);
    if (cut_) throw CutOff();
    cutter_ = engine_.Cutter(*opened);
  }
  connection_ = std::move(opened);
  opened_.fetch_add(1, std::memory_order_relaxed);
  try {
    engine_.Prepare(*connection_, patience_);
  } catch (...) {
    Disconnect();
    throw;
  }
}

void Session::Disconnect() {
  {
    std::lock_guard lock(mutex_);
    cutter_ = nullptr;
  }
  kept_statements_.Clear();
  connection_.reset();
}

void Session::Begin(Time deadline) {
  deadline_ = deadline;
  std::lock_guard lock(mutex_);
  cut_ = false;
}

void Session::PrepareUnit() {
  if (deadline_ == Time::max()) return;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Time::clock::now());
  engine_.PrepareUnit(*connection_, std::max(left, std::chrono::milliseconds(1)));
}

void Session::Cut() {
  std::lock_guard lock(mutex_);
  cut_ = true;
  if (cutter_) cutter_();
}

bool Session::cut() const {
  std::lock_guard lock(mutex_);
  return cut_;
}

void Session::Run(const Statement& statement) {
  soci::session& open = connection();
  running_ = statement.name;
  engine_.RunScript(open, Render(dialect(), statement.text));
}

}  // namespace koya::sql
