// A server for one command of this process, on the data of a stopped server: the same parts,
// listening on a loopback port, without TLS, metrics and access log. So commands work in one way,
// whether a server runs or not. It logs warnings only.
#pragma once

#include <memory>
#include <string>

#include "app/settings.h"
#include "base/result.h"

namespace koya {

class LocalServer {
 public:
  // Fails: as OpenStores, so also while a server runs on the data.
  static Result<std::unique_ptr<LocalServer>> Start(const Settings& settings);
  ~LocalServer();  // lets running requests finish
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  const std::string& url() const;    // "http://127.0.0.1:34567"
  const std::string& token() const;  // permits everything; valid while this lives

 private:
  struct Impl;
  explicit LocalServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
