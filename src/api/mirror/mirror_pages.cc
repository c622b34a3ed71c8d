#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "api/common/audience.h"
#include "api/common/page_answer.h"
#include "api/common/paging.h"
#include "api/common/query.h"
#include "api/common/route.h"
#include "api/mirror/explained.h"
#include "api/mirror/inventory.h"
#include "api/providers/mirror_page_data.h"
#include "service/mirror/context.h"
#include "service/mirror/explanation.h"
#include "service/mirror/inventory.h"
#include "service/mirror/mirror_report.h"
#include "service/mirror/policies.h"
#include "service/mirror/pull_policy.h"
#include "service/mirror/upstream_states.h"
#include "service/mirror/verdict_listing.h"
#include "service/usage/usage_counter.h"
#include "web/mirror/mirror_pages.h"
#include "web/providers/provider_pages.h"
#include "wire/mirror_reports.h"

namespace koya::api {
namespace {

using service::ExplainedWay;
using service::UpstreamState;
using web::ShownVerdict;

// ---- how registries answer

web::ShownUpstream::Kind KindOf(UpstreamState::Kind kind) {
  switch (kind) {
    case UpstreamState::Kind::kUnasked:
      return web::ShownUpstream::Kind::kUnasked;
    case UpstreamState::Kind::kFresh:
      return web::ShownUpstream::Kind::kFresh;
    case UpstreamState::Kind::kStale:
      return web::ShownUpstream::Kind::kStale;
    case UpstreamState::Kind::kFailing:
      return web::ShownUpstream::Kind::kFailing;
  }
  return web::ShownUpstream::Kind::kUnasked;
}

web::ShownUpstream ShownUpstreamOf(const MirrorServices& mirror, const HostName& host) {
  UpstreamState state = mirror.states.Of(host);
  web::ShownUpstream shown{.host = host.display(),
                           .path = web::MirrorUpstreamPath(host.ascii()),
                           .kind = KindOf(state.kind),
                           .answered_at = state.answered_at,
                           .failing_since = state.failing_since,
                           .cause = std::move(state.cause),
                           .median = state.median,
                           .hours = {}};
  for (const UpstreamState::Hour& hour : state.hours) {
    shown.hours.push_back({hour.asked, hour.failed});
  }
  return shown;
}

Task<web::MirrorPage> ReadMirrorPage(Call& call) {
  const MirrorServices& mirror = call.services.mirror;
  web::MirrorPage page{.since = mirror.states.since(), .now = call.services.clock.Now()};
  ASSIGN_OR_CO_RETURN(page.head, co_await ReadMirrorHead(call));
  for (const HostName& host : mirror.policy.hosts()) {
    if (page.upstreams.size() == web::MirrorPage::kMostUpstreams) break;
    page.upstreams.push_back(ShownUpstreamOf(mirror, host));
  }
  ASSIGN_OR_CO_RETURN(page.held_bytes, co_await call.services.mirror.inventory.HeldBytes());
  co_return page;
}

// {hostname}. Fails: kNotFound: nothing is pulled from there.
Result<HostName> UpstreamOfPage(const Call& call) {
  Result<HostName> host = HostName::ParseWire(call.path("hostname"));
  if (host && call.services.mirror.policy.MayPull(*host)) return host;
  return FailNotFound("this registry isn't in upstream.hosts: see the list at /-/mirror/upstreams");
}

// The stored packages of a registry, the first by address.
Task<std::vector<web::MirrorRow>> ReadKept(Call& call, HostName host, service::StoredSort sort) {
  // The database finds the host's name anywhere in an address.
  constexpr std::uint64_t kLookedAt = 100;
  UpstreamFilter filter{.query = host.ascii() + "/", .checked_since = {}, .checked_before = {}};
  const PageRequest page{.limit = kLookedAt};
  ASSIGN_OR_CO_RETURN(service::VerdictPage found,
                      co_await service::BrowseVerdicts(call.services.mirror.context, sort,
                                                       std::move(filter), std::nullopt, page));
  std::vector<web::MirrorRow> rows;
  for (const service::VerdictSummary& each : found.page.items) {
    if (rows.size() == web::MirrorUpstreamPage::kMostRows) break;
    if (each.summary.host != host) continue;
    rows.push_back(MirrorRowOf(each, sort == service::StoredSort::kModules, FreshSince(call)));
  }
  co_return rows;
}

// Number of days that the pages cover; the last one is today.
constexpr std::uint64_t kDaysOfLate = 30;

Task<web::ShownActivity> ReadMirrorActivity(Call& call) {
  ASSIGN_OR_CO_RETURN(service::MirrorReport report, co_await service::ReadMirrorReport(
                                                        call.services.mirror.context, kDaysOfLate));
  web::ShownActivity shown{.sent = report.sum.sent,
                           .kept = report.sum.kept(),
                           .sent_bytes = report.sum.sent_bytes,
                           .kept_bytes = report.sum.kept_bytes(),
                           .turned_away = report.turned_away,
                           .days = {},
                           .ready = {}};
  for (const service::MirrorActivity& day : report.days) {
    shown.days.push_back({day.sent, day.sent_bytes});
  }
  if (call.services.usage.counter.on()) {
    shown.ready = web::ShownActivity::Ready{report.ready.fetched, report.ready.held};
  }
  co_return shown;
}

// ---- policy

std::vector<std::string> RulesOf(const std::vector<policy::PullPattern>& patterns) {
  std::vector<std::string> rules;
  for (const policy::PullPattern& each : patterns) {
    if (rules.size() == web::MirrorPolicyPage::kMostRules) break;
    rules.push_back(each.text());
  }
  return rules;
}

// ---- explanations

web::MirrorExplainPage::Way ShownWayOf(const service::ExplainedWay& way) {
  using State = web::MirrorExplainPage::Way::State;
  web::MirrorExplainPage::Way shown{
      .is_mirror = way.way == ExplainedWay::Way::kMirror,
      .state = way.state == ExplainedWay::State::kAvailable ? State::kAvailable
               : way.state == ExplainedWay::State::kAllowed ? State::kAllowed
                                                            : State::kBlocked,
      .refusal = way.refusal,
      .version = way.version ? way.version->ToString() : "",
      .others_come = way.others_come};
  for (const Platform& each : way.platforms) {
    shown.platforms += (shown.platforms.empty() ? "" : ", ") + each.ToString();
  }
  return shown;
}

web::MirrorExplainPage::Answer AnswerOf(const MirrorServices& mirror, const Explained& explained) {
  const service::MirrorExplanation& told = explained.told;
  const HostName& host = explained.question.host();
  web::MirrorExplainPage::Answer answer{
      .key = explained.question.Key(),
      .host = host.display(),
      .registry = told.may_pull ? std::optional(ShownUpstreamOf(mirror, host)) : std::nullopt,
      .unlisted_at = told.unlisted_at,
      .verdict = VerdictOf(told.verdict, told.may_pull),
      .rule = told.verdict.rule,
      .versions = told.versions,
      .version = explained.question.version ? explained.question.version->ToString() : "",
      .is_pinned = told.pinned,
      .held = told.held,
      .seen_at = told.seen_at,
      .path = ""};
  for (const ExplainedWay& way : told.ways) answer.ways.push_back(ShownWayOf(way));
  if (const auto* provider = std::get_if<UpstreamProvider>(&explained.question.thing)) {
    if (told.versions > 0) {
      answer.path = web::ProviderPath(web::ProviderName{
          provider->host.ascii(), provider->address.ns(), provider->address.type()});
    }
  }
  return answer;
}

web::ShownPolicyVerdict::Kind KindOf(policy::Verdict verdict) {
  using Kind = web::ShownPolicyVerdict::Kind;
  switch (verdict) {
    case policy::Verdict::kAllow:
      return Kind::kAllow;
    case policy::Verdict::kNote:
      return Kind::kNote;
    case policy::Verdict::kHold:
      return Kind::kHold;
    case policy::Verdict::kRefuse:
      break;
  }
  return Kind::kRefuse;
}

// nullopt: no policy is set, or no version is known.
Task<std::optional<web::ShownPolicyVerdict>> ReadVerdict(Call& call,
                                                         service::MirrorQuestion question) {
  using Shown = std::optional<web::ShownPolicyVerdict>;
  Result<service::PolicyExplanation> found =
      co_await call.services.mirror.policies.Explain(std::move(question), std::nullopt);
  if (!found && found.error().kind == ErrorKind::kNotFound) co_return Shown();
  if (!found) co_return Failure(std::move(found).error());
  if (found->revision == 0) co_return Shown();
  web::ShownPolicyVerdict shown{.version = std::move(found->version),
                                .kind = KindOf(found->verdict),
                                .until = found->until.value_or(0),
                                .revision = static_cast<std::uint64_t>(found->revision),
                                .reasons = {},
                                .instead = std::move(found->instead)};
  for (service::PolicyExplanation::Reason& each : found->reasons) {
    shown.reasons.push_back({std::move(each.rule), KindOf(each.verdict), std::move(each.text)});
  }
  co_return Shown(std::move(shown));
}

Task<http::Response> ShowMirror(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(web::MirrorPage page, co_await ReadMirrorPage(call));
  ASSIGN_OR_CO_RETURN(page.of_late, co_await ReadMirrorActivity(call));
  const web::PageFrame& frame = PlaceMirrorPage(answer, call, "/-/mirror");
  co_return co_await answer.SendBriefly(web::RenderMirror(frame, page));
}

Task<http::Response> ShowMirrorUpstreams(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(web::MirrorPage page, co_await ReadMirrorPage(call));
  const web::PageFrame& frame = PlaceMirrorPage(answer, call, "/-/mirror/upstreams");
  co_return co_await answer.SendBriefly(web::RenderMirrorUpstreams(frame, page));
}

Task<http::Response> ShowMirrorUpstream(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(HostName host, UpstreamOfPage(call));
  const MirrorServices& mirror = call.services.mirror;
  web::MirrorUpstreamPage page{.upstream = ShownUpstreamOf(mirror, host),
                               .host = host.ascii(),
                               .since = mirror.states.since(),
                               .now = call.services.clock.Now()};
  ASSIGN_OR_CO_RETURN(page.head, co_await ReadMirrorHead(call));
  ASSIGN_OR_CO_RETURN(page.providers,
                      co_await ReadKept(call, host, service::StoredSort::kProviders));
  ASSIGN_OR_CO_RETURN(page.modules, co_await ReadKept(call, host, service::StoredSort::kModules));
  const web::PageFrame& frame = PlaceMirrorPage(answer, call, page.upstream.path);
  co_return co_await answer.SendBriefly(web::RenderMirrorUpstream(frame, page));
}

web::ShownRevision ShownRevisionOf(PolicyRevision revision) {
  return {.revision = static_cast<std::uint64_t>(revision.revision),
          .by = std::move(revision.by),
          .at = revision.at,
          .reason = std::move(revision.reason)};
}

// The rules in force, those that stopped most first.
Task<void> ReadRuleCounts(Call& call, PolicyRevision policy, web::MirrorPolicyPage& page) {
  ASSIGN_OR_CO_RETURN(
      std::vector<PolicyRuleCount> rules,
      co_await service::ReadRuleCounts(call.services.mirror.context, std::move(policy)));
  std::ranges::sort(rules, [](const PolicyRuleCount& a, const PolicyRuleCount& b) {
    return std::tuple(b.held + b.refused, a.rule) < std::tuple(a.held + a.refused, b.rule);
  });
  CutTo(rules, web::MirrorPolicyPage::kMostRules);
  for (PolicyRuleCount& each : rules) {
    page.rules.push_back({std::move(each.rule), each.held, each.refused});
  }
  co_return Status();
}

// The policy in force, its rules, and the revisions before it.
Task<void> ReadPolicyRevisions(Call& call, web::MirrorPolicyPage& page) {
  service::Policies& policies = call.services.mirror.policies;
  ASSIGN_OR_CO_RETURN(PolicyRevision policy, co_await policies.FindPolicy());
  CO_RETURN_IF_ERROR(co_await ReadRuleCounts(call, policy, page));
  if (policy.revision == 0) co_return Status();
  ASSIGN_OR_CO_RETURN(std::vector<PolicyRevision> revisions, co_await policies.ListRevisions());
  for (PolicyRevision& each : revisions) {
    if (each.revision >= policy.revision) continue;
    page.has_older = page.earlier.size() == web::MirrorPolicyPage::kMostRevisions;
    if (page.has_older) break;
    page.earlier.push_back(ShownRevisionOf(std::move(each)));
  }
  page.is_text_cut = policy.text.size() > web::MirrorPolicyPage::kMostTextBytes;
  page.text = std::move(policy.text);
  if (page.is_text_cut) page.text.resize(web::MirrorPolicyPage::kMostTextBytes);
  page.in_force = ShownRevisionOf(std::move(policy));
  co_return Status();
}

Task<http::Response> ShowMirrorPolicy(Call& call) {
  PageAnswer answer(call);
  const service::PullPolicy& policy = call.services.mirror.policy;
  web::MirrorPolicyPage page{.allow = RulesOf(policy.allow()), .deny = RulesOf(policy.deny())};
  ASSIGN_OR_CO_RETURN(page.head, co_await ReadMirrorHead(call));
  CO_RETURN_IF_ERROR(co_await ReadPolicyRevisions(call, page));
  for (const HostName& host : policy.hosts()) {
    if (page.hosts.size() == web::MirrorPolicyPage::kMostRules) break;
    page.hosts.push_back(host.display());
  }
  const web::PageFrame& frame = PlaceMirrorPage(answer, call, "/-/mirror/policy");
  co_return co_await answer.SendBriefly(web::RenderMirrorPolicy(frame, page));
}

Task<http::Response> ShowHeldVersions(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(const std::uint64_t number, ReadPageNumber(call.request()));
  web::MirrorHeldPage page;
  ASSIGN_OR_CO_RETURN(page.head, co_await ReadMirrorHead(call));
  ASSIGN_OR_CO_RETURN(service::HeldVersions held,
                      co_await call.services.mirror.policies.ListHeld());
  page.is_cut = held.more;
  page.part = KeepPart(held.items, number, web::MirrorHeldPage::kMostRows);
  for (service::HeldVersions::Item& each : held.items) {
    std::string path = web::MirrorExplainPath(each.address, each.version);
    page.rows.push_back({.address = std::move(each.address),
                         .version = std::move(each.version),
                         .path = std::move(path),
                         .kind = KindOf(each.verdict),
                         .until = each.until.value_or(0),
                         .reason = std::move(each.reason)});
  }
  const web::PageFrame& frame =
      PlaceMirrorPage(answer, call, std::string(web::MirrorHeldPage::kPath));
  co_return co_await answer.SendBriefly(web::RenderMirrorHeld(frame, page));
}

web::MirrorKeysPage::Key ShownSignerOf(NamespaceSigner signer) {
  web::MirrorKeysPage::Key key{.fingerprint = std::move(signer.key),
                               .is_signed = signer.is_signed,
                               .is_known = signer.is_known,
                               .releases = signer.releases,
                               .first_seen_at = signer.first_seen_at,
                               .last_seen_at = signer.last_seen_at,
                               .newest = {},
                               .has_older = signer.releases > signer.newest.size()};
  for (const NamespaceSigner::Release& each : signer.newest) {
    const ProviderAddress& address = each.provider.address;
    const web::ProviderName name{each.provider.host.ascii(), address.ns(), address.type()};
    std::string version = each.version.ToString();
    std::string path = web::ProviderVersionPath(name, version);
    key.newest.push_back({address.type(), std::move(version), std::move(path)});
  }
  return key;
}

Task<http::Response> ShowNamespaceSigners(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(MirroredNamespace of, MirroredNamespaceFromPath(call));
  web::MirrorKeysPage page{.head = {}, .host = of.host.display(), .ns = of.ns, .keys = {}};
  ASSIGN_OR_CO_RETURN(page.head, co_await ReadMirrorHead(call));
  std::string path = "/-/mirror/keys/" + of.host.ascii() + "/" + of.ns;
  ASSIGN_OR_CO_RETURN(
      std::vector<NamespaceSigner> signers,
      co_await call.services.mirror.policies.ListSigners(std::move(of.host), std::move(of.ns)));
  for (NamespaceSigner& each : signers) page.keys.push_back(ShownSignerOf(std::move(each)));
  const web::PageFrame& frame = PlaceMirrorPage(answer, call, std::move(path));
  co_return co_await answer.SendBriefly(web::RenderMirrorKeys(frame, page));
}

Task<http::Response> ShowMirrorExplanation(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(std::optional<std::string> address,
                      QueryParameter(call.request().query, "address"));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> version,
                      QueryParameter(call.request().query, "version"));
  web::MirrorExplainPage page{.address = address.value_or(""),
                              .version = version.value_or(""),
                              .usual_host = UsualHost(call.services.mirror.policy).display(),
                              .now = call.services.clock.Now()};
  ASSIGN_OR_CO_RETURN(page.head, co_await ReadMirrorHead(call));
  unsigned status = 200;
  if (!page.address.empty()) {
    Result<Explained> explained = co_await ExplainAsked(call, page.address, page.version);
    if (explained) {
      page.answer = AnswerOf(call.services.mirror, *explained);
      ASSIGN_OR_CO_RETURN(page.answer->policy,
                          co_await ReadVerdict(call, std::move(explained->question)));
    } else if (explained.error().kind == ErrorKind::kInvalid) {
      page.problem = web::Refusal::Of(explained.error(), web::Typed::kMirrorQuestion);
      status = 400;
    } else {
      co_return Failure(std::move(explained).error());
    }
  }
  const web::PageFrame& frame = PlaceMirrorPage(answer, call, "/-/mirror/explain");
  co_return co_await answer.SendUnkept(web::RenderMirrorExplain(frame, page), status);
}

Task<http::Response> GetMirrorExplanation(Call& call) {
  ASSIGN_OR_CO_RETURN(std::optional<std::string> address,
                      QueryParameter(call.request().query, "address"));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> version,
                      QueryParameter(call.request().query, "version"));
  ASSIGN_OR_CO_RETURN(Explained explained,
                      co_await ExplainAsked(call, address.value_or(""), version.value_or("")));
  co_return JsonRepresentationReply(wire::Encode(ToWire(explained)));
}

}  // namespace

// The mirror, for people. Nothing is fetched for them but documentation.
std::span<const Route> MirrorPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/mirror", Access::kBrowse, ResourceScope::kMirror, ShowMirror,
                 "Show the state of the mirror", KeptPage),
      Route::Get("/-/mirror/upstreams", Access::kBrowse, ResourceScope::kMirror,
                 ShowMirrorUpstreams, "Show the state of upstream registries", KeptPage),
      Route::Get("/-/mirror/upstreams/{hostname}", Access::kBrowse, ResourceScope::kMirror,
                 ShowMirrorUpstream, "Show the state of an upstream registry", KeptPage),
      Route::Get("/-/mirror/policy", Access::kBrowse, ResourceScope::kMirror, ShowMirrorPolicy,
                 "Show the mirror policy", KeptPage),
      Route::Get("/-/mirror/policy/held", Access::kBrowse, ResourceScope::kMirror, ShowHeldVersions,
                 "Show the versions that are held or refused", KeptPage),
      Route::Get("/-/mirror/keys/{hostname}/{namespace}", Access::kBrowse, ResourceScope::kMirror,
                 ShowNamespaceSigners, "Show the keys that signed a namespace's releases",
                 KeptPage),
      Route::Get("/-/mirror/explain", Access::kBrowse, ResourceScope::kMirror,
                 ShowMirrorExplanation, "Explain why a package is available or blocked, as a page"),
      Route::Get("/-/mirror/explain.json", Access::kRead, ResourceScope::kMirror,
                 GetMirrorExplanation, "Explain why a package is available or blocked"),
  };
  return kRoutes;
}

}  // namespace koya::api
