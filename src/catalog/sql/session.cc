#include "catalog/sql/session.h"

#include <soci/soci.h>

namespace koya::sql {

Session::Session(Engine& engine) : engine_(engine) {}
Session::~Session() = default;

soci::session& Session::connection() {
  if (!connection_) {
    running_ = "connect";
    connection_ = engine_.Connect();
  }
  return *connection_;
}

void Session::Disconnect() { connection_.reset(); }

void Session::Run(const Statement& statement) {
  soci::session& open = connection();
  running_ = statement.name;
  engine_.RunScript(open, Render(dialect(), statement.text));
}

}  // namespace koya::sql
