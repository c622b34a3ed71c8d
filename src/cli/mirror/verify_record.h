// What a run tells the registry of itself, so that others see that it ran and what it found: when
// it begins, once a minute, and at its end.
//
// A registry that takes none of it is told nothing more, and the run goes on: its result is what it
// prints. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/api/verify_client.h"
#include "cli/text/output.h"
#include "wire/verify.h"

namespace koya::cli {

class VerifyRecord {
 public:
  // `asked`: what the run was asked for. `output` outlives this.
  VerifyRecord(const RegistryClientOptions& connection, wire::VerifyProgress asked, Output& output);

  // To be called once the registry has answered: what it refuses then, it refuses to this alone.
  void Begin();
  // Whenever more was found; not everything is sent.
  void Go(const wire::VerifyReport& report);
  // `broken`: why the run broke off; null: it came to its end.
  void End(const wire::VerifyReport& report, const Error* broken);

 private:
  void Tell();

  VerifyClient client_;
  wire::VerifyProgress progress_;
  Output& output_;
  std::optional<std::string> id_;  // while the registry takes what it is told
  std::chrono::steady_clock::time_point next_;
};

}  // namespace koya::cli
