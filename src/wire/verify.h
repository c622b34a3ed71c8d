// Documents of "koya verify": what is kept, and the outcome of a check of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// One thing whose bytes can be checked: a module version's archive, a provider release's zip for
// one platform, its SHA256SUMS and signature, its docs, or its schema.
struct KeptThing {
  std::string kind;      // "module", "package", "documents", "docs", "schema"
  std::string hostname;  // of another registry, ASCII form; "" for what was published here
  std::string address;   // "acme/vpc/aws", "acme/demo"
  std::string version;
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

}  // namespace koya::wire
