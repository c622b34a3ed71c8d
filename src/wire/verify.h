// Documents of "koya verify": what is kept, and the outcome of a check of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// One thing whose bytes can be checked: a module version's archive, a provider release's zip for
// one platform, its SHA256SUMS and signature, its docs, or its schema.
struct KeptThing {
  std::string kind;        // "module", "package", "documents", "docs", "schema"; "object": of the
                           // object store, and no record names it
  std::string hostname;    // of another registry, ASCII form; "" for what was published here
  std::string address;     // "acme/vpc/aws", "acme/demo"; an object's name
  std::string version;     // "" of an object
  std::string platform;    // "linux_amd64", of a package; else ""
  std::uint64_t size = 0;  // bytes; 0: not known
  // "registry.opentofu.org/acme/demo 1.0.0 linux_amd64", for people.
  std::string Name() const;
  friend bool operator==(const KeptThing&, const KeptThing&) = default;
};

// A page. `next`: what to ask for the next one with, "" at the end.
struct KeptThings {
  std::vector<KeptThing> things;
  std::string next;
};

// Decoding fails with kInvalid, as everywhere in this folder.
std::string EncodeKeptThings(const KeptThings& page);
Result<KeptThings> DecodeKeptThings(std::string_view body);

struct CheckWish {
  bool quick = false;   // sizes only
  bool repair = false;  // fetch what is damaged or missing from upstream
};
std::string EncodeCheckWish(const CheckWish& wish);
// An empty body wishes nothing.
Result<CheckWish> DecodeCheckWish(std::string_view body);

struct CheckOutcome {
  std::string state;  // "ok", "not_held", "damaged", "missing"
  bool repaired = false;
  std::string problem;                // what is wrong and how it is mended; "" when state says it
  std::vector<std::string> warnings;  // what today's rules would refuse of whole bytes
};
std::string EncodeCheckOutcome(const CheckOutcome& outcome);
Result<CheckOutcome> DecodeCheckOutcome(std::string_view body);

// What a run found: the result of "koya verify --json".
struct VerifyFinding {
  KeptThing thing;
  CheckOutcome outcome;
};
struct VerifyReport {
  std::uint64_t checked = 0;
  std::vector<VerifyFinding> findings;  // damaged or missing, and what only has warnings
  // Of those that are damaged or missing: how many there are, and how many are whole again.
  std::uint64_t damaged() const;
  std::uint64_t repaired() const;
};
std::string EncodeVerifyReport(const VerifyReport& report);

// What a run tells the server of itself while it is under way, and at its end.
struct VerifyWrong {
  std::string name;   // KeptThing::Name()
  std::string state;  // "damaged", "missing"
  bool repaired = false;
  friend bool operator==(const VerifyWrong&, const VerifyWrong&) = default;
};
struct VerifyProgress {
  static constexpr std::size_t kMostFound = 20;
  static constexpr std::size_t kLongestText = 500;  // bytes of a name, and of `failure`

  bool quick = false;
  bool mirrored_only = false;
  bool partial = false;  // filters, or a place to begin at, leave something out
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  std::uint64_t repaired = 0;
  std::vector<VerifyWrong> found;  // the first of the wrong: kMostFound at most
  bool ended = false;
  std::string failure;  // why it broke off; "": it did not
  friend bool operator==(const VerifyProgress&, const VerifyProgress&) = default;
};
// Takes what `report` has found into `progress`, within its bounds.
void TakeFindings(const VerifyReport& report, VerifyProgress& progress);
std::string EncodeVerifyProgress(const VerifyProgress& progress);
// An empty body has found nothing yet.
Result<VerifyProgress> DecodeVerifyProgress(std::string_view body);

// Names the run to the server.
std::string EncodeVerifyRunId(std::string_view id);
Result<std::string> DecodeVerifyRunId(std::string_view body);

struct VerifyRun {
  std::string id;
  std::string by;        // "user:ada"
  std::string began_at;  // RFC 3339
  std::string told_at;   // when it was last heard of
  VerifyProgress progress;
  friend bool operator==(const VerifyRun&, const VerifyRun&) = default;
};
std::string EncodeVerifyRuns(const std::vector<VerifyRun>& runs);
Result<std::vector<VerifyRun>> DecodeVerifyRuns(std::string_view body);

}  // namespace koya::wire
