// Why the mirror gives something, or does not: the same judgement that clients get, for people who
// ask. Nothing is fetched for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/task.h"
#include "domain/upstream_record.h"
#include "domain/version.h"
#include "service/mirror/pull_policy.h"

namespace koya::service {

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

struct MirrorExplanation {
  PullVerdict verdict;   // of policy.allow and policy.deny
  bool may_pull = true;  // whether its registry is one of upstream.hosts
  // What clients are told who ask for it now; "": they get it, if its registry has it.
  std::string refusal;
  std::uint64_t versions = 0;  // of it that are pinned here
  // Of the version that was asked for:
  bool pinned = false;      // its digests are known here, and never change
  std::uint64_t held = 0;   // packages, or archives, whose bytes are here
  UnixSeconds seen_at = 0;  // when it was pinned
};

// Fails: as the catalog.
Task<MirrorExplanation> ExplainMirror(const MirrorContext& context, MirrorQuestion question);

}  // namespace koya::service
