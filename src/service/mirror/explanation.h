// Explains why clients get a provider or module of another registry from this server, or do not,
// for each of the ways to request it. Uses only what this server knows; fetches nothing.
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

// One of the ways to request something from this server. Modules have kOrigin only.
struct ExplainedWay {
  enum class Way { kOrigin, kMirror };  // /origin/, /mirror/
  enum class State {
    kAvailable,  // stored here: clients get it even while its registry is away
    kAllowed,    // not stored: clients get it if its registry has it and answers
    kBlocked,    // clients get `refusal`, whatever its registry has
  };

  Way way = Way::kOrigin;
  State state = State::kBlocked;
  // The whole explanation as a sentence in English, with the registry and its last answer where it
  // depends on that.
  std::string text;
  // The clients' error: of kBlocked; of kAllowed, while its registry does not provide the missing
  // signature. Else "".
  std::string refusal = {};
  // Of kAvailable:
  std::optional<Version> version = {};   // the newest, if the question names none
  std::vector<Platform> platforms = {};  // stored ones; empty for modules
  bool others_come = false;  // other platforms or versions are fetched from its registry
};

struct MirrorExplanation {
  PullVerdict verdict;             // of policy.allow and policy.deny
  bool may_pull = true;            // its registry is one of upstream.hosts
  UpstreamState registry;          // how its registry has answered this server
  std::vector<ExplainedWay> ways;  // kOrigin first
  // When its registry confirmed the list of versions that lacks the version; 0: no such list is
  // cached here.
  UnixSeconds unlisted_at = 0;
  std::uint64_t versions = 0;  // pinned versions of the provider or module
  // Of the version in the question:
  bool pinned = false;      // its digests are known here and never change
  std::uint64_t held = 0;   // packages or archives with bytes here
  UnixSeconds seen_at = 0;  // when it was pinned

  // True if some way is kAvailable.
  bool is_available() const;
  // The clients' error if every way is kBlocked; "" otherwise.
  std::string Refusal() const;
};

// Sources of an explanation. All of it must outlive the task.
struct ExplainedMirror {
  const MirrorContext& context;
  const UpstreamStates& states;
  ProviderMirror& providers;
  const ModuleMirror& modules;
};

// Fails: as the catalog.
Task<MirrorExplanation> ExplainMirror(ExplainedMirror mirror, MirrorQuestion question);

}  // namespace koya::service
