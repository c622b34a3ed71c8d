// A run of koya verify, or of koya mirror verify, as the run reports it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace koya {

// A file that was damaged or missing.
struct VerifyWrong {
  std::string name;   // "registry.opentofu.org/acme/demo 1.0.0 linux_amd64", for display
  std::string state;  // "damaged", "missing"
  bool repaired = false;
  friend bool operator==(const VerifyWrong&, const VerifyWrong&) = default;
};

struct VerifyProgress {
  // The requested check: everything that is stored, unless restricted by:
  bool quick = false;          // sizes only
  bool mirrored_only = false;  // only mirrored contents
  bool partial = false;        // only those that filters match, or that follow a position
  // The results so far.
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;         // of those: damaged or missing
  std::uint64_t repaired = 0;      // of those: intact again
  std::vector<VerifyWrong> found;  // the first of the wrong ones
  bool ended = false;              // finished, or aborted for the reason in `failure`
  std::string failure;             // why it was aborted; "": it was not
  friend bool operator==(const VerifyProgress&, const VerifyProgress&) = default;
};

struct VerifyRun {
  std::string id;  // auth::RandomId()
  std::string by;  // an Actor's name: "user:ada"
  // By the database's clock; set by the catalog, not by the server that writes the record.
  UnixSeconds began_at = 0;
  UnixSeconds told_at = 0;  // time of its last report
  VerifyProgress progress;
  friend bool operator==(const VerifyRun&, const VerifyRun&) = default;
};

}  // namespace koya
