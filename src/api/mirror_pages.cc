#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "api/handlers.h"
#include "api/mirror_page_data.h"
#include "api/page_answer.h"
#include "api/page_number.h"
#include "api/page_twins.h"
#include "api/query.h"
#include "service/mirror/explanation.h"
#include "web/mirror_pages.h"
#include "web/provider_head.h"
#include "wire/mirror_explanation.h"

namespace koya::api {
namespace {

using service::PullVerdict;
using service::UpstreamState;
using web::MirrorPackagesPage;
using web::ShownVerdict;

Task<web::MirrorHead> ReadMirrorHead(Call& call) {
  service::Mirror& mirror = call.services.mirror;
  ASSIGN_OR_CO_RETURN(UpstreamCounts counts, co_await mirror.inventory.Counts());
  co_return web::MirrorHead{.providers = counts.providers,
                            .modules = counts.modules,
                            .upstreams = mirror.policy.hosts().size(),
                            .rules = mirror.policy.allow().size() + mirror.policy.deny().size()};
}

web::PageFrame& PlaceMirrorPage(PageAnswer& answer, const Call& call, std::string path) {
  answer.frame.current = web::Section::kMirror;
  if (call.visibility == Visibility::kPublic) answer.frame.canonical = std::move(path);
  return answer.frame;
}

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

web::ShownUpstream ShownUpstreamOf(const service::Mirror& mirror, const HostName& host) {
  UpstreamState state = mirror.states.Of(host);
  web::ShownUpstream shown{.host = host.display(),
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
  const service::Mirror& mirror = call.services.mirror;
  web::MirrorPage page{.since = mirror.states.since(), .now = call.services.clock.Now()};
  ASSIGN_OR_CO_RETURN(page.head, co_await ReadMirrorHead(call));
  for (const HostName& host : mirror.policy.hosts()) {
    if (page.upstreams.size() == web::MirrorPage::kMostUpstreams) break;
    page.upstreams.push_back(ShownUpstreamOf(mirror, host));
  }
  ASSIGN_OR_CO_RETURN(page.held_bytes, co_await call.services.mirror.inventory.HeldBytes());
  co_return page;
}

// ---- what is kept

struct PackagesQuestion {
  bool of_modules = false;
  std::string query;
  MirrorPackagesPage::Freshness freshness = MirrorPackagesPage::Freshness::kAny;
  std::uint64_t number = 1;
};

Result<PackagesQuestion> ReadPackagesQuestion(const http::Request& request) {
  constexpr std::size_t kLongestQuery = 200;
  ASSIGN_OR_RETURN(std::optional<std::string> query, QueryParameter(request.query, "q"));
  ASSIGN_OR_RETURN(std::optional<std::string> kind, QueryParameter(request.query, "kind"));
  ASSIGN_OR_RETURN(std::optional<std::string> state, QueryParameter(request.query, "state"));
  PackagesQuestion question{.of_modules = kind == "modules", .query = query.value_or("")};
  ASSIGN_OR_RETURN(question.number, ReadPageNumber(request));
  if (kind && !kind->empty() && *kind != "modules" && *kind != "providers") {
    return Fail(ErrorKind::kInvalid, "the parameter \"kind\" must be providers or modules");
  }
  if (state == "fresh") question.freshness = MirrorPackagesPage::Freshness::kFresh;
  if (state == "stale") question.freshness = MirrorPackagesPage::Freshness::kStale;
  const bool known =
      !state || state->empty() || *state == "any" || *state == "fresh" || *state == "stale";
  if (!known) {
    return Fail(ErrorKind::kInvalid, "the parameter \"state\" must be any, fresh or stale");
  }
  if (question.query.size() > kLongestQuery) {
    return Fail(ErrorKind::kInvalid,
                "the parameter \"q\" is too long: write a part of the address");
  }
  return question;
}

std::string PathOf(const PackagesQuestion& question) {
  std::string path = "/-/mirror/packages";
  if (!question.query.empty()) path = web::PathWith(path, "q", question.query);
  if (question.of_modules) path = web::PathWith(path, "kind", "modules");
  switch (question.freshness) {
    case MirrorPackagesPage::Freshness::kFresh:
      return web::PathWith(path, "state", "fresh");
    case MirrorPackagesPage::Freshness::kStale:
      return web::PathWith(path, "state", "stale");
    case MirrorPackagesPage::Freshness::kAny:
      break;
  }
  return path;
}

UpstreamFilter FilterOf(const PackagesQuestion& question, UnixSeconds fresh_since) {
  UpstreamFilter filter{.query = question.query, .checked_since = {}, .checked_before = {}};
  if (question.freshness == MirrorPackagesPage::Freshness::kFresh) {
    filter.checked_since = fresh_since;
  }
  if (question.freshness == MirrorPackagesPage::Freshness::kStale) {
    filter.checked_before = fresh_since;
  }
  return filter;
}

// What the rules say of an address as it is kept, and where its page is.
void JudgeRow(const service::PullPolicy& policy, bool is_module, const UpstreamSummary& summary,
              web::MirrorRow& row) {
  const std::string key = summary.host.ascii() + "/" + summary.address;
  Result<service::MirrorQuestion> thing = service::ParseMirrorQuestion(key, "", summary.host);
  if (!thing) return;
  const PullVerdict verdict =
      std::visit([&policy](const auto& each) { return policy.Judge(each); }, thing->thing);
  row.verdict = VerdictOf(verdict, policy.MayPull(summary.host));
  row.rule = verdict.rule;
  const std::size_t slash = summary.address.find('/');
  if (is_module || slash == std::string::npos) return;
  row.path = web::ProviderPath(web::ProviderName{
      summary.host.ascii(), summary.address.substr(0, slash), summary.address.substr(slash + 1)});
}

web::MirrorRow RowOf(const service::PullPolicy& policy, bool is_module,
                     const UpstreamSummary& summary, UnixSeconds fresh_since) {
  web::MirrorRow row{.host = summary.host.display(),
                     .address = summary.address,
                     .path = "",
                     .verdict = ShownVerdict::kAllowed,
                     .rule = "",
                     .versions = summary.versions,
                     .held = summary.held,
                     .held_bytes = summary.held_bytes,
                     .last_version = summary.last_version,
                     .last_seen_at = summary.last_seen_at,
                     .checked_at = summary.checked_at,
                     .is_fresh = summary.checked_at != 0 && summary.checked_at >= fresh_since};
  JudgeRow(policy, is_module, summary, row);
  return row;
}

Task<Page<UpstreamSummary>> Browse(Call& call, bool of_modules, UpstreamFilter filter,
                                   PageRequest page) {
  service::Inventory& inventory = call.services.mirror.inventory;
  if (of_modules) return inventory.BrowseModules(std::move(filter), page);
  return inventory.BrowseProviders(std::move(filter), page);
}

// ---- policy

std::vector<std::string> TextsOf(const std::vector<service::PullPattern>& patterns) {
  std::vector<std::string> texts;
  for (const service::PullPattern& each : patterns) {
    if (texts.size() == web::MirrorPolicyPage::kMostRules) break;
    texts.push_back(each.text());
  }
  return texts;
}

// ---- explanations

// That is meant without a host: the first that may be pulled from, else the usual one of clients.
HostName UsualHost(const service::PullPolicy& policy) {
  if (!policy.hosts().empty()) return policy.hosts().front();
  return *HostName::ParseWire("registry.opentofu.org");
}

struct Explained {
  service::MirrorQuestion question;
  service::MirrorExplanation told;
};

Task<Explained> ExplainAsked(Call& call, std::string address, std::string version) {
  const service::MirrorContext& context = call.services.mirror.context;
  ASSIGN_OR_CO_RETURN(service::MirrorQuestion question,
                      service::ParseMirrorQuestion(address, version, UsualHost(context.policy)));
  ASSIGN_OR_CO_RETURN(service::MirrorExplanation told,
                      co_await service::ExplainMirror(context, question));
  co_return Explained{std::move(question), std::move(told)};
}

web::MirrorExplainPage::Answer AnswerOf(const Explained& explained) {
  const service::MirrorExplanation& told = explained.told;
  web::MirrorExplainPage::Answer answer{
      .key = explained.question.Key(),
      .verdict = VerdictOf(told.verdict, told.may_pull),
      .rule = told.verdict.rule,
      .refusal = told.refusal,
      .versions = told.versions,
      .version = explained.question.version ? explained.question.version->ToString() : "",
      .is_pinned = told.pinned,
      .held = told.held,
      .seen_at = told.seen_at,
      .path = ""};
  if (const auto* provider = std::get_if<UpstreamProvider>(&explained.question.thing)) {
    if (told.versions > 0) {
      answer.path = web::ProviderPath(web::ProviderName{
          provider->host.ascii(), provider->address.ns(), provider->address.type()});
    }
  }
  return answer;
}

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

wire::MirrorExplanation ToWire(const Explained& explained) {
  const service::MirrorExplanation& told = explained.told;
  return {.address = explained.question.Key(),
          .version = explained.question.version ? explained.question.version->ToString() : "",
          .kind = explained.question.is_module() ? "module" : "provider",
          .given = told.refusal.empty(),
          .policy = std::string(VerdictName(told.verdict)),
          .rule = told.verdict.rule,
          .may_pull = told.may_pull,
          .text = told.refusal,
          .versions = told.versions,
          .pinned = told.pinned,
          .archives = told.held};
}

}  // namespace

Task<http::Response> ShowMirror(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(web::MirrorPage page, co_await ReadMirrorPage(call));
  const web::PageFrame& frame = PlaceMirrorPage(answer, call, "/-/mirror");
  co_return co_await answer.SendBriefly(web::RenderMirror(frame, page));
}

Task<http::Response> ShowMirrorUpstreams(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(web::MirrorPage page, co_await ReadMirrorPage(call));
  const web::PageFrame& frame = PlaceMirrorPage(answer, call, "/-/mirror/upstreams");
  co_return co_await answer.SendBriefly(web::RenderMirrorUpstreams(frame, page));
}

Task<http::Response> ShowMirrorPackages(Call& call) {
  constexpr std::uint64_t kRows = MirrorPackagesPage::kMostRows;
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(PackagesQuestion question, ReadPackagesQuestion(call.request()));
  const service::Mirror& mirror = call.services.mirror;
  MirrorPackagesPage page{.of_modules = question.of_modules,
                          .query = question.query,
                          .freshness = question.freshness,
                          .fresh_for = mirror.providers.freshness(),
                          .path = PathOf(question),
                          .now = call.services.clock.Now()};
  const UnixSeconds fresh_since = page.now - page.fresh_for.count() + 1;
  ASSIGN_OR_CO_RETURN(page.head, co_await ReadMirrorHead(call));
  const PageRequest wanted{.offset = (question.number - 1) * kRows, .limit = kRows};
  UpstreamFilter filter = FilterOf(question, fresh_since);
  ASSIGN_OR_CO_RETURN(Page<UpstreamSummary> found,
                      co_await Browse(call, question.of_modules, std::move(filter), wanted));
  for (const UpstreamSummary& each : found.items) {
    page.rows.push_back(RowOf(mirror.policy, question.of_modules, each, fresh_since));
  }
  page.part = {.offset = wanted.offset,
               .shown = page.rows.size(),
               .size = kRows,
               .total = 0,
               .more = found.more};
  const web::PageFrame& frame = PlaceMirrorPage(answer, call, "/-/mirror/packages");
  co_return co_await answer.SendBriefly(web::RenderMirrorPackages(frame, page));
}

Task<http::Response> ShowMirrorPolicy(Call& call) {
  PageAnswer answer(call);
  const service::PullPolicy& policy = call.services.mirror.policy;
  web::MirrorPolicyPage page{.allow = TextsOf(policy.allow()), .deny = TextsOf(policy.deny())};
  ASSIGN_OR_CO_RETURN(page.head, co_await ReadMirrorHead(call));
  for (const HostName& host : policy.hosts()) {
    if (page.hosts.size() == web::MirrorPolicyPage::kMostRules) break;
    page.hosts.push_back(host.display());
  }
  const web::PageFrame& frame = PlaceMirrorPage(answer, call, "/-/mirror/policy");
  co_return co_await answer.SendBriefly(web::RenderMirrorPolicy(frame, page));
}

Task<http::Response> ShowMirrorExplanation(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(std::optional<std::string> address,
                      QueryParameter(call.request().query, "address"));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> version,
                      QueryParameter(call.request().query, "version"));
  web::MirrorExplainPage page{.address = address.value_or(""),
                              .version = version.value_or(""),
                              .usual_host = UsualHost(call.services.mirror.policy).display()};
  ASSIGN_OR_CO_RETURN(page.head, co_await ReadMirrorHead(call));
  unsigned status = 200;
  if (!page.address.empty()) {
    Result<Explained> explained = co_await ExplainAsked(call, page.address, page.version);
    if (explained) {
      page.answer = AnswerOf(*explained);
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
  co_return JsonTwinReply(wire::EncodeMirrorExplanation(ToWire(explained)));
}

}  // namespace koya::api
