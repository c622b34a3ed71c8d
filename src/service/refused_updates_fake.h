// For tests: a catalog in which a column can be read but no longer written, as on a full disk.
#pragma once

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <string>

namespace koya::service {

// `file`: the catalog's SQLite file, which may be in use.
inline void RefuseUpdates(const std::string& file, const std::string& table,
                          const std::string& column) {
  soci::session session(*soci::factory_sqlite3(), "db=" + file);
  session << "CREATE TRIGGER refuse_" + table + " BEFORE UPDATE OF " + column + " ON " + table +
                 " BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
}

}  // namespace koya::service
