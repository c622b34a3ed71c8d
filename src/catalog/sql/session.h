// One connection to the database, opened when it is first needed and again after it was lost.
// Belongs to one thread at a time.
#pragma once

#include <memory>
#include <string_view>

#include "catalog/sql/engine.h"
#include "catalog/sql/statement.h"

namespace koya::sql {

class Session {
 public:
  explicit Session(Engine& engine);
  ~Session();

  Engine& engine() { return engine_; }
  Dialect dialect() const { return engine_.dialect(); }
  bool connected() const { return connection_ != nullptr; }
  // The connection, opened at need. Throws as Engine::Connect.
  soci::session& connection();
  // The next use opens a new connection.
  void Disconnect();

  // Runs a statement without parameters or results. Throws as SOCI does.
  void Run(const Statement& statement);

  // Which statement ran last, for the detail of errors.
  std::string_view running() const { return running_; }
  void set_running(std::string_view name) { running_ = name; }

 private:
  Engine& engine_;
  std::unique_ptr<soci::session> connection_;
  std::string_view running_ = "connect";
};

}  // namespace koya::sql
