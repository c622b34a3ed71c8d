// A run of koya verify, or of koya mirror verify, as it told of itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace koya {

// Something that was damaged or missing.
struct VerifyWrong {
  std::string name;   // "registry.opentofu.org/acme/demo 1.0.0 linux_amd64", for people
  std::string state;  // "damaged", "missing"
  bool repaired = false;
  friend bool operator==(const VerifyWrong&, const VerifyWrong&) = default;
};

struct VerifyProgress {
  // What it was asked for. It may be the whole of what is kept, or:
  bool quick = false;          // sizes only
  bool mirrored_only = false;  // what is of other registries
  bool partial = false;        // what filters leave of it, or what stands behind a place
  // What it has found until now.
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;         // of those: damaged or missing
  std::uint64_t repaired = 0;      // of those: whole again
  std::vector<VerifyWrong> found;  // the first of the wrong
  bool ended = false;              // it was looked at to the end, or `failure` says why not
  std::string failure;             // why it broke off; "": it did not
  friend bool operator==(const VerifyProgress&, const VerifyProgress&) = default;
};

struct VerifyRun {
  std::string id;  // auth::RandomId()
  std::string by;  // an Actor's name: "user:ada"
  // By the database's clock; whoever writes the record says neither.
  UnixSeconds began_at = 0;
  UnixSeconds told_at = 0;  // when it was last heard of
  VerifyProgress progress;
  friend bool operator==(const VerifyRun&, const VerifyRun&) = default;
};

}  // namespace koya
