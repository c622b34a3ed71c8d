// The pages of the mirror: whether it is well, what it keeps of other registries, what may be had
// through it, and why something is given or not.
//
// Each page is a struct and a function that renders it. Texts may be anything: they are escaped,
// isolated and made well-formed. Pure and thread-safe. What is shown is what this server knows:
// where there is no number, none is made up.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "web/page_frame.h"
#include "web/refusal.h"
#include "web/view_parts.h"

namespace koya::web {

// What all of them begin with.
struct MirrorHead {
  std::uint64_t providers = 0;  // of other registries, of which something is kept
  std::uint64_t modules = 0;
  std::uint64_t upstreams = 0;  // registries that may be pulled from
  std::uint64_t rules = 0;      // of policy.allow and policy.deny
};

// A registry that may be pulled from, as it has answered this server since it started.
struct ShownUpstream {
  enum class Kind { kUnasked, kFresh, kStale, kFailing };
  struct Hour {
    std::uint64_t asked = 0;
    std::uint64_t failed = 0;
  };

  std::string host;  // as people read it
  std::string path;  // of its page
  Kind kind = Kind::kUnasked;
  UnixSeconds answered_at = 0;    // the last good answer; 0: none
  UnixSeconds failing_since = 0;  // 0: it answers
  std::string cause;              // in English
  std::chrono::milliseconds median{0};
  std::vector<Hour> hours;  // the last day; the last of them is now
};

// What the mirror did within so many days, all servers together.
struct ShownActivity {
  struct Day {
    std::uint64_t sent = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t turned_away = 0;
  };

  std::uint64_t sent = 0;  // archives that clients were given
  std::uint64_t kept = 0;  // of them: nothing was fetched for them
  std::uint64_t sent_bytes = 0;
  std::uint64_t kept_bytes = 0;
  std::uint64_t turned_away = 0;  // requests, by the policy
  std::vector<Day> days;          // the last is today
  // Versions that were fetched within these days, and those of them that are stored here; nothing:
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
  UnixSeconds since = 0;                 // from when on this server has noted answers
  UnixSeconds now = 0;
  std::uint64_t held_bytes = 0;
  ShownActivity of_late;  // on the first page alone
};
std::string RenderMirror(const PageFrame& frame, const MirrorPage& page);

// /-/mirror/upstreams: the same page, registry by registry.
std::string RenderMirrorUpstreams(const PageFrame& frame, const MirrorPage& page);

// What the rules say of a package.
enum class ShownVerdict {
  kAllowed,
  kDenied,     // by a rule of policy.deny
  kNotListed,  // by none of policy.allow
  kKeptOnly,   // its registry may not be pulled from: what is kept is given, and nothing more
};

struct MirrorRow {
  std::string host;
  std::string address;  // "hashicorp/aws"
  std::string path;     // of its page; "": it has none
  ShownVerdict verdict = ShownVerdict::kAllowed;
  std::string rule;  // that says so; "": none restricts
  std::uint64_t versions = 0;
  std::uint64_t held = 0;
  std::uint64_t held_bytes = 0;
  std::string last_version;
  UnixSeconds last_seen_at = 0;
  UnixSeconds checked_at = 0;  // 0: never
  bool is_fresh = false;
  std::uint64_t fetches = 0;  // of all versions, since they are counted
};

// /-/mirror/upstreams/HOST: one registry, and what is stored of it.
struct MirrorUpstreamPage {
  static constexpr std::size_t kMostRows = 20;  // of providers, and of modules

  MirrorHead head;
  ShownUpstream upstream;
  std::string host;                  // as addresses have it
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
  std::optional<ShownVerdict> verdict;  // nothing: whatever the rules say
  Freshness freshness = Freshness::kAny;
  bool counts_fetches = true;
  bool is_cut = false;                // there was more than is looked through for a verdict
  std::chrono::seconds fresh_for{0};  // mirror.freshness
  std::vector<MirrorRow> rows;        // kMostRows at most
  ListPart part;
  std::string path;  // of this list, with what was asked for
  UnixSeconds now = 0;
};
std::string RenderMirrorPackages(const PageFrame& frame, const MirrorPackagesPage& page);

// /-/mirror/policy
struct MirrorPolicyPage {
  static constexpr std::size_t kMostRules = 200;

  // A rule, and how many requests it decided within `days`, on all servers together.
  struct Rule {
    std::string text;
    std::uint64_t count = 0;
  };

  MirrorHead head;
  std::vector<std::string> hosts;  // each kMostRules at most
  std::vector<Rule> allow;
  std::vector<Rule> deny;
  std::uint64_t unrestricted = 0;  // requests that nothing restricts
  std::uint64_t not_listed = 0;    // those that no rule of policy.allow let through
  std::uint64_t days = 0;
};
std::string RenderMirrorPolicy(const PageFrame& frame, const MirrorPolicyPage& page);

// /-/mirror/explain?address=&version=
struct MirrorExplainPage {
  // One of the ways by which clients ask.
  struct Way {
    enum class State { kAvailable, kAllowed, kBlocked };
    bool is_mirror = false;  // /mirror/; else /origin/
    State state = State::kBlocked;
    // What clients are answered, in English: of kBlocked, and of kAllowed, as long as its registry
    // does not give what is missing.
    std::string refusal = {};
    // Of kAvailable:
    std::string version = {};    // the newest that is stored; "": the one that was asked for
    std::string platforms = {};  // with commas between them
    bool others_come = false;    // what is not stored comes from its registry
  };
  struct Answer {
    std::string key;   // "registry.opentofu.org/hashicorp/aws"
    std::string host;  // its registry
    std::vector<Way> ways;
    std::optional<ShownUpstream> registry;  // how that answers, if it may be asked
    UnixSeconds unlisted_at = 0;            // its list of that time lacks the version; 0: none does
    ShownVerdict verdict = ShownVerdict::kAllowed;
    std::string rule;
    std::uint64_t versions = 0;  // that are known here
    std::string version;         // that was asked for; "": none
    bool is_pinned = false;      // it is known here
    std::uint64_t held = 0;      // packages of it that are here
    UnixSeconds seen_at = 0;
    std::string path;  // of its page; "": it has none
  };

  MirrorHead head;
  std::string address;  // as asked for
  std::string version;
  std::string usual_host;  // that is meant without one
  std::optional<Answer> answer;
  UnixSeconds now = 0;
  Refusal problem;  // what is wrong with the question; empty: nothing
};
std::string RenderMirrorExplain(const PageFrame& frame, const MirrorExplainPage& page);

}  // namespace koya::web
