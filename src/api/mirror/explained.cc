#include "api/mirror/explained.h"

#include <utility>

#include "api/common/call.h"
#include "domain/host_name.h"
#include "service/mirror/context.h"
#include "service/mirror/pull_policy.h"

namespace koya::api {
namespace {

using service::ExplainedWay;
using service::PullVerdict;

std::string_view VerdictName(const PullVerdict& verdict) {
  switch (verdict.kind) {
    case PullVerdict::Kind::kAllowed:
      return "allowed";
    case PullVerdict::Kind::kDenied:
      return "denied";
    case PullVerdict::Kind::kNotListed:
      return "not-listed";
  }
  return "allowed";
}

std::string_view StateName(ExplainedWay::State state) {
  switch (state) {
    case ExplainedWay::State::kAvailable:
      return "available";
    case ExplainedWay::State::kAllowed:
      return "allowed";
    case ExplainedWay::State::kBlocked:
      return "blocked";
  }
  return "blocked";
}

}  // namespace

HostName UsualHost(const service::PullPolicy& policy) {
  if (!policy.hosts().empty()) return policy.hosts().front();
  return *HostName::ParseWire("registry.opentofu.org");
}

Result<service::MirrorQuestion> ReadMirrorQuestion(const Call& call, std::string_view address,
                                                   std::string_view version) {
  const HostName usual = UsualHost(call.services.mirror.policy);
  ASSIGN_OR_RETURN(service::MirrorQuestion question,
                   service::ParseMirrorQuestion(address, version, usual));
  if (!call.services.IsOwn(question.host())) return question;
  return FailInvalid(
      "{} is this registry, and its own packages aren't mirrored: enter a "
      "package of another registry",
      question.host().display());
}

Task<Explained> ExplainAsked(Call& call, std::string address, std::string version) {
  const MirrorServices& mirror = call.services.mirror;
  ASSIGN_OR_CO_RETURN(service::MirrorQuestion question, ReadMirrorQuestion(call, address, version));
  const service::ExplainedMirror looked_at{mirror.context, mirror.states, mirror.providers,
                                           mirror.modules};
  ASSIGN_OR_CO_RETURN(service::MirrorExplanation told,
                      co_await service::ExplainMirror(looked_at, question));
  co_return Explained{std::move(question), std::move(told)};
}

wire::MirrorExplanation ToWire(const Explained& explained) {
  const service::MirrorExplanation& told = explained.told;
  std::vector<wire::MirrorWay> ways;
  for (const ExplainedWay& way : told.ways) {
    ways.push_back({.way = way.way == ExplainedWay::Way::kMirror ? "mirror" : "origin",
                    .state = std::string(StateName(way.state)),
                    .text = way.text});
  }
  return {.address = explained.question.Key(),
          .version = explained.question.version ? explained.question.version->ToString() : "",
          .kind = explained.question.is_module() ? "module" : "provider",
          .given = told.is_available(),
          .policy = std::string(VerdictName(told.verdict)),
          .rule = told.verdict.rule,
          .may_pull = told.may_pull,
          .text = told.Refusal(),
          .versions = told.versions,
          .pinned = told.pinned,
          .archives = told.held,
          .ways = std::move(ways)};
}

}  // namespace koya::api
