// For tests: a PostgreSQL server of one's own, from Debian's package, on loopback.
//
// Started when it is first asked for, once per test program; stopped and removed at its end, even
// when the program is killed. It runs as an ordinary user ("postgres" or "nobody" when the test is
// root) in a temporary folder, without waiting for the disk.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya {

class PostgresServer {
 public:
  // Fails: kUnavailable, with the reason why tests that need it are skipped; kInternal.
  static Result<std::unique_ptr<PostgresServer>> Start();
  // This program's server. Null when there is none: `*reason` then says why.
  static PostgresServer* Shared(std::string* reason);

  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // A new, empty database. Returns its URL. Throws when that fails.
  std::string MakeDatabase();
  // Runs SQL as the superuser, in the database that `url` names, and returns the first column of
  // the first row, or "". Throws when that fails.
  std::string Run(const std::string& url, const std::string& sql);
  // Ends every connection to the database that `url` names.
  void CutConnections(const std::string& url);
  // Stops the processes of the whole server, or only those that serve connections named "koya" to
  // the database that `url` names: they keep what they have, and answer nothing, until what is
  // returned is gone.
  std::shared_ptr<void> Freeze();
  std::shared_ptr<void> FreezeConnections(const std::string& url);

  // A server that follows this one and can be read only, until it is promoted.
  Result<std::unique_ptr<PostgresServer>> StartStandby();
  void Promote();
  // As a power cut does.
  void Stop();
  std::string host() const;  // "127.0.0.1:54321"

 private:
  static Result<std::unique_ptr<PostgresServer>> Make(std::vector<std::string> command,
                                                      std::string_view ready);
  struct Impl;
  explicit PostgresServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
