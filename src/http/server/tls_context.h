// The server's certificate and TLS settings: TLS 1.2 and 1.3, ALPN h2 and http/1.1, no
// renegotiation.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/result.h"
#include "http/server/server_options.h"

struct ssl_ctx_st;

namespace koya::http {

// Shared by the loops and by the sessions made from it (which count OpenSSL's own references).
using TlsContextHandle = std::shared_ptr<ssl_ctx_st>;

// Reads both files, or uses the texts. Fails: kInvalid, naming the file and the problem.
Result<TlsContextHandle> LoadTlsContext(const TlsOptions& options);

struct CertificateValidity {
  UnixSeconds from = 0;
  UnixSeconds until = 0;
};
// Of the context's certificate. nullopt: its times cannot be read.
std::optional<CertificateValidity> ValidityOf(const TlsContextHandle& context);

// Holds the current context and loads new files when they change. A dedicated thread watches the
// files, since reading them blocks. Thread-safe.
class ReloadingTlsContext {
 public:
  // `on_reload` is called on the watching thread after each change that was noticed; after a
  // failure the old certificate stays in use.
  ReloadingTlsContext(TlsOptions options, TlsContextHandle loaded,
                      std::chrono::milliseconds interval,
                      std::function<void(const Status&)> on_reload);
  ~ReloadingTlsContext();
  TlsContextHandle current() const;

 private:
  struct FileState;
  static FileState StatFiles(const TlsOptions& options);
  void Watch(const std::stop_token& stop, FileState last);

  const TlsOptions options_;
  const std::chrono::milliseconds interval_;
  const std::function<void(const Status&)> on_reload_;
  mutable std::mutex mutex_;
  TlsContextHandle context_;
  std::condition_variable_any changed_;
  std::jthread watcher_;
};

}  // namespace koya::http
