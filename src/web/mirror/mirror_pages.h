// Renders the pages of the mirror: its health, its stored packages of other registries, its policy,
// and explanations of why a package is served or not.
//
// Each page is a struct and a function that renders it. Texts may be anything: they are escaped,
// isolated and made well-formed. Pure and thread-safe. The pages show only what this server knows:
// an unknown number is left out.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "web/common/form_parts.h"
#include "web/common/page_frame.h"
#include "web/common/refusal.h"
#include "web/common/view.h"

namespace koya::web {

// The head of all mirror pages.
struct MirrorHead {
  std::uint64_t providers = 0;  // of other registries, with stored packages
  std::uint64_t modules = 0;
  std::uint64_t packages = 0;   // both
  std::uint64_t upstreams = 0;  // registries that may be mirrored
  std::uint64_t rules = 0;      // of the policy in force, with those of the settings
};

// A registry that may be mirrored, with its responses to this server since its start.
struct ShownUpstream {
  enum class Kind { kUnasked, kFresh, kStale, kFailing };
  struct Hour {
    std::uint64_t asked = 0;
    std::uint64_t failed = 0;
  };

  std::string host;  // for display
  std::string path;  // of its page
  Kind kind = Kind::kUnasked;
  UnixSeconds answered_at = 0;    // the last good answer; 0: none
  UnixSeconds failing_since = 0;  // 0: it answers
  std::string cause;              // in English
  std::chrono::milliseconds median{0};
  std::vector<Hour> hours;  // the last day; the current hour is last
};

// Activity of the mirror within these days, of all servers together.
struct ShownActivity {
  struct Day {
    std::uint64_t sent = 0;
    std::uint64_t sent_bytes = 0;
  };

  std::uint64_t sent = 0;  // archives sent to clients
  std::uint64_t kept = 0;  // of them: served without a fetch
  std::uint64_t sent_bytes = 0;
  std::uint64_t kept_bytes = 0;
  std::uint64_t turned_away = 0;  // requests, by the policy
  std::vector<Day> days;          // the last is today
  // Versions that were fetched within these days, and those of them that are stored here; nullopt:
  // fetches are not counted.
  struct Ready {
    std::uint64_t fetched = 0;
    std::uint64_t held = 0;
  };
  std::optional<Ready> ready;
};

// /-/mirror
struct MirrorPage {
  static constexpr std::size_t kMostUpstreams = 50;

  MirrorHead head;
  std::vector<ShownUpstream> upstreams;  // kMostUpstreams at most
  UnixSeconds since = 0;                 // start of this server's records of responses
  UnixSeconds now = 0;
  std::uint64_t held_bytes = 0;
  ShownActivity of_late;  // on the first page only
};
std::string RenderMirror(const PageFrame& frame, const MirrorPage& page);

// /-/mirror/upstreams: the same page, registry by registry.
std::string RenderMirrorUpstreams(const PageFrame& frame, const MirrorPage& page);

// The policy's verdict on a package.
enum class ShownVerdict {
  kAllowed,
  kDenied,      // by a rule of policy.deny
  kNotListed,   // by no rule of policy.allow
  kStoredOnly,  // its registry may not be mirrored: only stored packages are served
};

struct MirrorRow {
  std::string host;
  std::string address;  // "hashicorp/aws"
  std::string path;     // of its page; "": it has none
  ShownVerdict verdict = ShownVerdict::kAllowed;
  std::string rule;  // that decides; "": no rule applies
  std::uint64_t versions = 0;
  std::uint64_t held = 0;
  std::uint64_t held_bytes = 0;
  std::string last_version;
  UnixSeconds last_seen_at = 0;
  UnixSeconds checked_at = 0;  // 0: never
  bool is_fresh = false;
  std::uint64_t fetches = 0;           // of all versions, since counting began
  std::optional<ShownHold> hold = {};  // of the last version
};

// /-/mirror/upstreams/HOST: one registry and its stored packages.
struct MirrorUpstreamPage {
  static constexpr std::size_t kMostRows = 20;  // of providers, and of modules

  MirrorHead head;
  ShownUpstream upstream;
  std::string host;                  // as in paths
  std::vector<MirrorRow> providers;  // by address
  std::vector<MirrorRow> modules;
  UnixSeconds since = 0;  // as in MirrorPage
  UnixSeconds now = 0;
};
std::string RenderMirrorUpstream(const PageFrame& frame, const MirrorUpstreamPage& page);

// The path of that page.
std::string MirrorUpstreamPath(std::string_view host);

// /-/mirror/packages?q=&kind=&verdict=&state=&page=
struct MirrorPackagesPage {
  static constexpr std::size_t kMostRows = 50;
  enum class Freshness { kAny, kFresh, kStale };

  MirrorHead head;
  bool of_modules = false;
  std::string query;
  std::optional<ShownVerdict> verdict;  // nullopt: any
  Freshness freshness = Freshness::kAny;
  bool counts_fetches = true;
  bool is_cut = false;                // more packages than are searched for a verdict
  std::chrono::seconds fresh_for{0};  // mirror.freshness
  std::vector<MirrorRow> rows;        // kMostRows at most
  ListPart part;
  std::string path;  // of this list, with its query
  UnixSeconds now = 0;
};
std::string RenderMirrorPackages(const PageFrame& frame, const MirrorPackagesPage& page);

// The policy as it was set once.
struct ShownRevision {
  std::uint64_t revision = 0;
  std::string by;
  UnixSeconds at = 0;
  std::string reason;
};

// /-/mirror/policy
struct MirrorPolicyPage {
  static constexpr std::size_t kMostRules = 200;
  static constexpr std::size_t kMostRevisions = 50;
  static constexpr std::size_t kMostTextBytes = std::size_t{64} << 10;

  MirrorHead head;
  std::optional<ShownRevision> in_force;  // nullopt: no policy was ever set
  std::string text;                       // of it, TOML; kMostTextBytes at most
  bool is_text_cut = false;
  // The rules in force, with the number of times that each stopped something since then.
  struct Rule {
    std::string name;
    std::uint64_t held = 0;
    std::uint64_t refused = 0;
  };
  std::vector<Rule> rules;             // those that did most first, kMostRules at most
  std::vector<ShownRevision> earlier;  // newest first, kMostRevisions at most
  bool has_older = false;              // further ones
  std::vector<std::string> hosts;      // each kMostRules at most
  std::vector<std::string> allow;
  std::vector<std::string> deny;
};
std::string RenderMirrorPolicy(const PageFrame& frame, const MirrorPolicyPage& page);

// The verdict of the policy in force on a version.
struct ShownPolicyVerdict {
  enum class Kind { kAllow, kNote, kHold, kRefuse };
  struct Reason {
    std::string rule;  // "": no rule, its registry offers other bytes
    Kind kind = Kind::kAllow;
    std::string text;  // in English
  };

  std::string version;  // "": all of them
  Kind kind = Kind::kAllow;
  UnixSeconds until = 0;  // of a hold that ends by itself; 0: none
  std::uint64_t revision = 0;
  std::vector<Reason> reasons;
  std::string instead;  // the version that clients choose; "": none
};

// /-/mirror/policy/held?page=: the versions that the policy stops.
struct MirrorHeldPage {
  static constexpr std::string_view kPath = "/-/mirror/policy/held";
  static constexpr std::size_t kMostRows = 50;
  struct Row {
    std::string address;  // "registry.opentofu.org/hashicorp/aws"
    std::string version;
    std::string path;  // of the explanation
    ShownPolicyVerdict::Kind kind = ShownPolicyVerdict::Kind::kHold;
    UnixSeconds until = 0;  // of a hold that ends by itself; 0: none
    std::string reason;     // in English
  };

  MirrorHead head;
  std::vector<Row> rows;  // kMostRows at most; by end, those without one last
  ListPart part;
  bool is_cut = false;  // further versions are not in the list
};
std::string RenderMirrorHeld(const PageFrame& frame, const MirrorHeldPage& page);

// The path of the explanation of a version; `address` has a host.
std::string MirrorExplainPath(std::string_view address, std::string_view version);

// /-/mirror/keys/HOST/NAMESPACE: the keys that signed its pinned releases.
struct MirrorKeysPage {
  struct Release {
    std::string type;
    std::string version;
    std::string path;  // of its page
  };
  struct Key {
    std::string fingerprint;  // "": no signature, or a key that was not recorded
    bool is_signed = false;
    bool is_known = false;  // it signed an admitted release
    std::uint64_t releases = 0;
    UnixSeconds first_seen_at = 0;
    UnixSeconds last_seen_at = 0;
    std::vector<Release> newest;
    bool has_older = false;  // further releases
  };

  MirrorHead head;
  std::string host;  // for display
  std::string ns;
  std::vector<Key> keys;  // last seen first
};
std::string RenderMirrorKeys(const PageFrame& frame, const MirrorKeysPage& page);

// /-/mirror/explain?address=&version=
struct MirrorExplainPage {
  // One of the protocols through which clients request packages.
  struct Way {
    enum class State { kAvailable, kAllowed, kBlocked };
    bool is_mirror = false;  // /mirror/; else /origin/
    State state = State::kBlocked;
    // The error that clients get, in English: of kBlocked, and of kAllowed while the upstream does
    // not supply the missing package.
    std::string refusal = {};
    // Of kAvailable:
    std::string version = {};    // the newest stored; "": the requested one
    std::string platforms = {};  // separated by commas
    bool others_come = false;    // missing packages are fetched upstream
  };
  struct Answer {
    std::string key;   // "registry.opentofu.org/hashicorp/aws"
    std::string host;  // its registry
    std::vector<Way> ways;
    std::optional<ShownUpstream> registry;  // its health, if it may be mirrored
    UnixSeconds unlisted_at = 0;            // time of its list that lacks the version; 0: none
    ShownVerdict verdict = ShownVerdict::kAllowed;
    std::string rule;
    std::uint64_t versions = 0;  // known here
    std::string version;         // requested; "": none
    bool is_pinned = false;      // that version is known here
    std::uint64_t held = 0;      // packages of it stored here
    UnixSeconds seen_at = 0;
    std::string path;                          // of its page; "": it has none
    std::optional<ShownPolicyVerdict> policy;  // nullopt: no policy is set, or no version is known
  };

  MirrorHead head;
  std::string address;  // as asked for
  std::string version;
  std::string usual_host;  // default host of `address`
  std::optional<Answer> answer;
  UnixSeconds now = 0;
  Refusal problem;  // with the query; empty: none
};
std::string RenderMirrorExplain(const PageFrame& frame, const MirrorExplainPage& page);

// /-/verify: a form for a lock file, and the report on the one that was sent.
struct VerifyLockPage {
  static constexpr std::string_view kPath = "/-/verify";
  static constexpr std::string_view kField = "lock";

  struct Hash {
    enum class State { kKnown, kDiffers, kUnknown, kUnchecked };  // as wire::LockedHash::state
    std::string hash;
    State state = State::kUnknown;
    std::string file = {};  // of the release, which has it; "": not known
  };
  struct Provider {
    enum class Verdict { kAllowed, kDenied, kWithdrawn };
    std::string address;
    std::string version;
    Verdict verdict = Verdict::kAllowed;
    UnixSeconds seen_at = 0;  // published, or first seen here; 0: never
    std::string host;         // the registry that it came from; "": published here
    std::string key;          // of its signature; "": not known
    std::string by;           // who published it here; ""
    std::vector<Hash> hashes;
  };

  std::string text;                                // as sent, if there are errors
  FormErrors errors;                               // of kField
  std::optional<std::vector<Provider>> providers;  // nullopt: no lock file was read
};
std::string RenderVerifyLock(const PageFrame& frame, const VerifyLockPage& page);

// ---- parts that the mirror's pages share, and the tiles of its recent activity

enum class MirrorTab { kStatus, kPackages, kUpstreams, kPolicy, kExplain };

// Adds what the pieces _mirror_verdict, a chip, and _mirror_rule show: the deciding rule, with a
// link to its place in the policy and to who may change it.
void AddVerdict(View& view, ShownVerdict verdict, std::string_view rule);

// For the piece _mirror_of_late.
View ActivityView(const ShownActivity& activity);

}  // namespace koya::web
