// VerifyRecord reports a verify run to the registry, so that others see that it ran and what it
// found: at its start, once a minute, and at its end.
//
// If the registry does not accept the start, it gets no further reports, and the run goes on: its
// output is its result. One thread.
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
  // `asked`: the parameters of the run. `output` must outlive this.
  VerifyRecord(const RegistryClientOptions& connection, wire::VerifyProgress asked, Output& output);

  // Call once the registry has answered: an error then concerns this report alone.
  void Begin();
  // Call when there are new findings; at most one report a minute is sent.
  void Update(const wire::VerifyReport& report);
  // `broken`: why the run was aborted; null: it completed.
  void End(const wire::VerifyReport& report, const Error* broken);

 private:
  void SendReport();

  VerifyClient client_;
  wire::VerifyProgress progress_;
  Output& output_;
  std::optional<std::string> id_;  // set while the registry accepts reports
  std::chrono::steady_clock::time_point next_;
};

}  // namespace koya::cli
