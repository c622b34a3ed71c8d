// Why clients get something of another registry from here, or do not, by each of the ways they may
// ask for it. Nothing is fetched for an answer: it is what this server knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/platform.h"
#include "domain/upstream_record.h"
#include "domain/version.h"
#include "service/mirror/pull_policy.h"
#include "service/mirror/upstream_states.h"

namespace koya::service {

class ModuleMirror;
class ProviderMirror;
struct MirrorContext;

struct MirrorQuestion {
  std::variant<UpstreamProvider, UpstreamModule> thing;
  std::optional<Version> version;

  const HostName& host() const;
  // "registry.opentofu.org/hashicorp/aws"
  std::string Key() const;
  bool is_module() const { return std::holds_alternative<UpstreamModule>(thing); }
};

// `address`: NAMESPACE/TYPE or HOST/NAMESPACE/TYPE, NAMESPACE/NAME/SYSTEM or
// HOST/NAMESPACE/NAME/SYSTEM; three parts begin with a host if the first has a dot, or a port.
// Without a host, `usual_host` is meant. `version` may be empty. Fails: kInvalid, saying what to
// write.
Result<MirrorQuestion> ParseMirrorQuestion(std::string_view address, std::string_view version,
                                           const HostName& usual_host);

// One of the ways by which clients ask this server. Modules have the first alone.
struct ExplainedWay {
  enum class Way { kOrigin, kMirror };  // /origin/, /mirror/
  enum class State {
    kAvailable,  // stored here: clients get it even while its registry is away
    kAllowed,    // not stored: clients get it if its registry has it and answers
    kBlocked,    // clients get `refusal`, whatever its registry has
  };

  Way way = Way::kOrigin;
  State state = State::kBlocked;
  // All of it as a sentence in English, with the registry and its last answer where it depends on
  // that.
  std::string text;
  // What clients are answered: of kBlocked; of kAllowed, as long as its registry does not give the
  // signature that is missing. Else "".
  std::string refusal = {};
  // Of kAvailable:
  std::optional<Version> version = {};   // the newest such, where no version was asked for
  std::vector<Platform> platforms = {};  // those that are stored; none of a module
  bool others_come =
      false;  // what is not stored, of platforms or versions, comes from its registry
};

struct MirrorExplanation {
  PullVerdict verdict;             // of policy.allow and policy.deny
  bool may_pull = true;            // whether its registry is one of upstream.hosts
  UpstreamState registry;          // how its registry has answered this server
  std::vector<ExplainedWay> ways;  // kOrigin first
  // When its registry confirmed the list of versions that lacks the version; 0: there is no such
  // list here.
  UnixSeconds unlisted_at = 0;
  std::uint64_t versions = 0;  // of it that are pinned here
  // Of the version that was asked for:
  bool pinned = false;      // its digests are known here, and never change
  std::uint64_t held = 0;   // packages, or archives, whose bytes are here
  UnixSeconds seen_at = 0;  // when it was pinned

  // Whether some way is kAvailable.
  bool is_available() const;
  // What clients are answered where each way is kBlocked; "" else.
  std::string Refusal() const;
};

// What is looked at for an explanation. All of it must outlive the task.
struct ExplainedMirror {
  const MirrorContext& context;
  const UpstreamStates& states;
  ProviderMirror& providers;
  const ModuleMirror& modules;
};

// Fails: as the catalog.
Task<MirrorExplanation> ExplainMirror(ExplainedMirror mirror, MirrorQuestion question);

}  // namespace koya::service
