// Documents of "koya verify": stored artifacts, and the results of checking them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// One artifact whose bytes can be verified: a module version's archive, a provider release's zip
// for one platform, its SHA256SUMS and signature, its docs, or its schema.
struct StoredArtifact {
  std::string kind;        // "module", "package", "documents", "docs", "schema"; "object": of the
                           // object store, and no record names it
  std::string hostname;    // of another registry, ASCII form; "": published here
  std::string address;     // "acme/vpc/aws", "acme/demo"; an object's name
  std::string version;     // "" for an object
  std::string platform;    // "linux_amd64", for a package; otherwise ""
  std::uint64_t size = 0;  // bytes; 0: unknown
  // "registry.opentofu.org/acme/demo 1.0.0 linux_amd64", for people.
  std::string Name() const;
  friend bool operator==(const StoredArtifact&, const StoredArtifact&) = default;
};

// A page. `next`: the parameter for the next page, "" at the end.
struct ArtifactList {
  std::vector<StoredArtifact> things;
  std::string next;
};

// Decoding fails with kInvalid, as everywhere in this folder.
std::string EncodeArtifactList(const ArtifactList& page);
Result<ArtifactList> DecodeArtifactList(std::string_view body);

struct VerifyRequest {
  bool quick = false;   // sizes only
  bool repair = false;  // fetch damaged or missing artifacts from upstream
};
std::string EncodeVerifyRequest(const VerifyRequest& wish);
// An empty body means the defaults.
Result<VerifyRequest> DecodeVerifyRequest(std::string_view body);

struct CheckOutcome {
  std::string state;  // "ok", "not_held", "damaged", "missing"
  bool repaired = false;
  std::string problem;                // the fault and its fix; "" when state says it
  std::vector<std::string> warnings;  // current rules that undamaged bytes break
};
std::string EncodeCheckOutcome(const CheckOutcome& outcome);
Result<CheckOutcome> DecodeCheckOutcome(std::string_view body);

// The findings of a run: the result of "koya verify --json".
struct VerifyFinding {
  StoredArtifact thing;
  CheckOutcome outcome;
};
struct VerifyReport {
  std::uint64_t checked = 0;
  std::vector<VerifyFinding> findings;  // damaged or missing artifacts, or those with warnings
  // The number of damaged or missing artifacts, and how many of them were repaired.
  std::uint64_t damaged() const;
  std::uint64_t repaired() const;
};
std::string EncodeVerifyReport(const VerifyReport& report);

// A run's report to the server during the run and at its end.
struct VerifyWrong {
  std::string name;   // StoredArtifact::Name()
  std::string state;  // "damaged", "missing"
  bool repaired = false;
  friend bool operator==(const VerifyWrong&, const VerifyWrong&) = default;
};
struct VerifyProgress {
  static constexpr std::size_t kMostFound = 20;
  static constexpr std::size_t kLongestText = 500;  // bytes of a name, and of `failure`

  bool quick = false;
  bool mirrored_only = false;
  bool partial = false;  // filters or a start position exclude something
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  std::uint64_t repaired = 0;
  std::vector<VerifyWrong> found;  // the first of the wrong ones: at most kMostFound
  bool ended = false;
  std::string failure;  // why it failed; "": it did not
  friend bool operator==(const VerifyProgress&, const VerifyProgress&) = default;
};
// Adds the findings of `report` to `progress`, within its limits.
void TakeFindings(const VerifyReport& report, VerifyProgress& progress);
std::string EncodeVerifyProgress(const VerifyProgress& progress);
// An empty body means no progress yet.
Result<VerifyProgress> DecodeVerifyProgress(std::string_view body);

// The id that the server gives a run.
std::string EncodeVerifyRunId(std::string_view id);
Result<std::string> DecodeVerifyRunId(std::string_view body);

struct VerifyRun {
  std::string id;
  std::string by;        // "user:ada"
  std::string began_at;  // RFC 3339
  std::string told_at;   // time of the last report
  VerifyProgress progress;
  friend bool operator==(const VerifyRun&, const VerifyRun&) = default;
};
std::string EncodeVerifyRuns(const std::vector<VerifyRun>& runs);
Result<std::vector<VerifyRun>> DecodeVerifyRuns(std::string_view body);

}  // namespace koya::wire
