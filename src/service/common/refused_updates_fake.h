// For tests: a catalog in which a column, or a table, can be read but no longer written, as on a
// full disk.
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

// The same of new rows, until AllowInserts.
inline void RefuseInserts(const std::string& file, const std::string& table) {
  soci::session session(*soci::factory_sqlite3(), "db=" + file);
  session << "CREATE TRIGGER refuse_" + table + " BEFORE INSERT ON " + table +
                 " BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
}
inline void AllowInserts(const std::string& file, const std::string& table) {
  soci::session session(*soci::factory_sqlite3(), "db=" + file);
  session << "DROP TRIGGER refuse_" + table;
}

}  // namespace koya::service
