#include "web/sample_pages_fake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "web/access/namespace_page.h"
#include "web/access/sign_in_pages.h"
#include "web/sample_parts_fake.h"
#include "web/site/home_page.h"
#include "web/site/message_page.h"
#include "web/site/search_page.h"

namespace koya::web {
namespace {

using std::chrono::seconds;

// The texts of a page: those that people will see, or one for all of them.
struct SampleTexts {
  std::string all;  // "": each has its own
  std::string operator()(std::string own) const { return all.empty() ? own : all; }
};

PageFrame FrameWith(const SampleTexts& texts, Language language, Theme theme) {
  PageFrame frame;
  frame.language = language;
  frame.theme = theme;
  frame.site_name = texts("registry.kumo.example");
  frame.path = texts("/login?to=%2Foauth%2Fauthorize%3Fclient_id%3Dterraform-cli");
  frame.csrf = texts("c5rfT0ken");
  frame.site_url = "https://registry.kumo.example";
  frame.version = "1.0.0";
  frame.description = texts("The modules and providers our teams publish.");
  return frame;
}

PageFrame SignedIn(PageFrame frame, const SampleTexts& texts) {
  frame.account = texts("mika.tanaka");
  frame.sections = {Section::kModules, Section::kProviders, Section::kMirror, Section::kDocs};
  frame.current = Section::kProviders;
  frame.has_search = true;
  frame.query = texts("network");
  return frame;
}

void AddSignIn(const PageFrame& frame, const SampleTexts& texts, std::vector<SamplePage>& pages) {
  SignInPage page;
  page.to = texts("/oauth/authorize?client_id=terraform-cli&state=x");
  pages.push_back({"sign_in", RenderSignIn(frame, page)});
  page.reason = SignInReason::kClientLogin;
  page.providers = {{texts("Kumo Works"), texts("/-/oidc/kumo/start")},
                    {texts("GitLab"), texts("/-/oidc/gitlab/start")}};
  pages.push_back({"sign_in-providers", RenderSignIn(frame, page)});
  page.has_local_accounts = false;
  page.problem = SignInProblem::kProviderFailed;
  page.failed_provider = texts("Kumo Works");
  page.request_id = texts("7f3a9c2e51d04b68");
  pages.push_back({"sign_in-provider_failed", RenderSignIn(frame, page)});
  page.problem = SignInProblem::kProviderDisabled;
  pages.push_back({"sign_in-provider_disabled", RenderSignIn(frame, page)});
  page.has_local_accounts = true;
  page.reason = SignInReason::kPage;
  page.wanted = texts("platform/network/aws");
  page.username = texts("mika.tanaka");
  page.problem = SignInProblem::kRefused;
  pages.push_back({"sign_in-refused", RenderSignIn(frame, page)});
  page.problem = SignInProblem::kThrottled;
  page.retry_after = seconds(90);
  pages.push_back({"sign_in-throttled", RenderSignIn(frame, page)});
  page.problem = SignInProblem::kStaleForm;
  page.reason = SignInReason::kFirstRunDone;
  pages.push_back({"sign_in-stale", RenderSignIn(frame, page)});
}

void AddConsent(const PageFrame& frame, const SampleTexts& texts, std::vector<SamplePage>& pages) {
  PageFrame signed_in = SignedIn(frame, texts);
  ConsentPage page;
  page.host = texts("registry.kumo.example");
  page.client_id = texts("terraform-cli");
  page.redirect_uri = texts("http://localhost:10005/login");
  page.life = seconds(90 * 86400);
  page.ends = 1803124800;  // 2027-02-20
  page.hidden = {{texts("state"), texts("5e1f")}};
  pages.push_back({"consent", RenderConsent(signed_in, page)});
  page.scope = Scope::kAdmin;
  pages.push_back({"consent-admin", RenderConsent(signed_in, page)});
  pages.push_back({"denied", RenderDenied(signed_in, texts("registry.kumo.example"))});
}

void AddFirstRun(const PageFrame& frame, const SampleTexts& texts, std::vector<SamplePage>& pages) {
  FirstRunPage page;
  page.password_min = 12;
  pages.push_back({"first_run", RenderFirstRun(frame, page)});
  page.username = texts("root!");
  page.retry_after = seconds(30);
  page.problems = {FirstRunProblem::kToken,         FirstRunProblem::kUsername,
                   FirstRunProblem::kPasswordShort, FirstRunProblem::kPasswordsDiffer,
                   FirstRunProblem::kThrottled,     FirstRunProblem::kStaleForm};
  pages.push_back({"first_run-problems", RenderFirstRun(frame, page)});
}

// The view of anonymous readers of a public registry.
PageFrame Browsing(PageFrame frame, std::optional<Section> current) {
  frame.csrf.clear();
  frame.path = "/";
  frame.canonical = "/";
  frame.sections = {Section::kModules, Section::kProviders, Section::kMirror, Section::kDocs};
  frame.current = current;
  return frame;
}

SearchHit SampleHit(const SampleTexts& texts, std::string address, std::string version,
                    std::string title, UnixSeconds published_at) {
  const bool is_provider = std::ranges::count(address, '/') == 1;
  SearchHit hit;
  hit.subject_kind = is_provider ? SearchKind::kProvider : SearchKind::kModule;
  hit.kind = hit.subject_kind;
  hit.address = texts(std::move(address));
  hit.version = texts(std::move(version));
  hit.title = texts(std::move(title));
  hit.published_at = published_at;
  return hit;
}

std::vector<SearchHit> SampleHits(const SampleTexts& texts) {
  std::vector<SearchHit> hits = {
      SampleHit(texts, "platform/network/aws", "4.2.0",
                "VPC, subnets, NAT and flow logs for one account, with the address plan our "
                "network team keeps.",
                1794960000),
      SampleHit(texts, "kumo/inventory", "2.3.1",
                "Look-ups against the asset inventory: owners, cost centres and service tiers.",
                1794873600),
      SampleHit(texts, "security/baseline/aws", "3.9.4",
                "Account guard rails: trails, config rules and budgets.", 1794441600),
      SampleHit(texts, "data/warehouse/google", "1.0.0",
                "部門ごとのBigQueryデータセットとアクセス権、データ区分ごとの保持期間。",
                1794182400)};
  hits[2].deprecated = true;
  return hits;
}

SearchHit SamplePart(const SampleTexts& texts, SearchKind kind, std::string name,
                     std::string snippet, TextRange mark) {
  SearchHit hit = SampleHit(texts, "platform/network/aws", "4.2.0", "", 1794960000);
  hit.kind = kind;
  hit.name = texts(std::move(name));
  hit.field = SearchField::kTitle;
  hit.snippet = texts(std::move(snippet));
  if (mark.end <= hit.snippet.size()) hit.marks = {mark};
  return hit;
}

constexpr UnixSeconds kHomeNow = 1'795'279'270;  // 2026-11-21

void AddHome(const PageFrame& frame, const SampleTexts& texts, std::vector<SamplePage>& pages) {
  const PageFrame browsing = Browsing(frame, std::nullopt);
  HomePage page{.host = texts("registry.kumo.example"),
                .url = texts("https://registry.kumo.example"),
                .tagline = texts(""),
                .now = kHomeNow};
  pages.push_back({"home-empty", RenderHome(browsing, page)});
  page.hands_out_koya = true;
  pages.push_back({"home-empty_release", RenderHome(browsing, page)});
  page.examples = {texts("network"), texts("uses:aws_subnet"), texts("ns:data")};
  constexpr std::array kSteps{ShownStep::kMinor, ShownStep::kFirst, ShownStep::kMajor,
                              ShownStep::kPrerelease, ShownStep::kPatch};
  for (SearchHit& hit : SampleHits(texts)) {
    page.recent.push_back(
        {std::move(hit), kSteps[page.recent.size() % kSteps.size()], texts("ci-platform")});
  }
  page.fetched_most = {{.address = texts("platform/network/aws"), .fetches = 1204},
                       {.is_provider = true, .address = texts("kumo/inventory"), .fetches = 894},
                       {.address = texts("platform/cluster/google"), .fetches = 610}};
  page.namespaces = {
      {.name = texts("platform"), .created_by = {}, .words = {.title = texts("Platform team")}},
      {.name = texts("data"), .created_by = {}, .words = {.title = texts("データ基盤")}},
      {.name = texts("security"), .created_by = {}}};
  page.has_more_namespaces = true;
  page.upstreams = {{.host = texts("registry.opentofu.org")},
                    {.host = texts("registry.terraform.io"), .is_fresh = false}};
  page.registries = {*HostName::Parse("registry.opentofu.org")};
  pages.push_back({"home", RenderHome(browsing, page)});
  page.is_anonymous = false;
  page.namespaces_are_own = true;
  const auto token = [&texts](std::string name, UnixSeconds end) {
    TokenRecord made{.name = texts(std::move(name)), .secret = Digest{Sha256Bytes{}}};
    made.expires_at = end;
    return made;
  };
  page.waiting = {.tokens = {token("ci", kHomeNow - 1), token("laptop", kHomeNow + 6 * 86'400)},
                  .has_more_tokens = true,
                  .keys = {{.ns = texts("platform"),
                            .key_id = texts("89ABCDEF01234567"),
                            .expires_at = kHomeNow + 20 * 86'400}},
                  .has_more_keys = true};
  PageFrame signed_in = SignedIn(frame, texts);
  signed_in.has_search = false;
  signed_in.notice = Notice{.key = "offline", .what = texts("x")};
  pages.push_back({"home-signed_in", RenderHome(signed_in, page)});
  page.is_anonymous = true;
  page.is_closed = true;
  pages.push_back({"home-closed", RenderHome(frame, page)});
  page.is_new = true;
  pages.push_back({"home-new", RenderHome(frame, page)});
}

void AddSearch(const PageFrame& frame, const SampleTexts& texts, std::vector<SamplePage>& pages) {
  PageFrame browsing = Browsing(frame, std::nullopt);
  browsing.canonical.clear();
  FoundPage page;
  pages.push_back({"search-unasked", RenderSearch(browsing, page)});
  page.asked.text = texts("subnet");
  page.asked.ns = texts("platform");
  page.asked.offset = 20;
  page.found.items = SampleHits(texts);
  page.found.items.push_back(SamplePart(texts, SearchKind::kInput, "private_subnets",
                                        "Addresses of the private subnets", {22, 32}));
  page.found.items.push_back(
      SamplePart(texts, SearchKind::kResource, "aws_subnet.private", "aws_subnet", {4, 10}));
  page.found.items.push_back(
      SamplePart(texts, SearchKind::kOutput, "subnet_ids", "subnets", {0, 7}));
  page.found.items.push_back(SamplePart(texts, SearchKind::kDoc, "resources/subnet", "a", {0, 1}));
  page.found.packages = 2;
  page.found.facets = {.kind = {},
                       .ns = {{"platform", 40}, {"data", 8}},
                       .system = {{"aws", 47}, {"gcp", 1}},
                       .deprecated = {{"no", 47}, {"yes", 1}}};
  page.manual = {{.kind = SearchKind::kGuide,
                  .name = texts("Publishing"),
                  .title = texts("A published version never changes."),
                  .snippet = texts("A published version"),
                  .marks = {{0, 1}},
                  .url = "/-/docs/publishing"}};
  page.found.counts = {
      {SearchKind::kModule, 3}, {SearchKind::kProvider, 1}, {SearchKind::kInput, 44}};
  page.total = 48;
  pages.push_back({"search", RenderSearch(browsing, page)});
  page.found.forgiven = true;
  page.found.missing = {"replica", texts("read")};
  page.found.cut = true;
  page.found.cut_kinds = {SearchKind::kInput};
  page.asked.kind = SearchKind::kInput;
  pages.push_back({"search-forgiven", RenderSearch(browsing, page)});
  page.found = {};
  page.manual.clear();
  pages.push_back({"search-beyond", RenderSearch(browsing, page)});
  page.asked.offset = 0;
  page.asked.ns.clear();
  pages.push_back({"search-none", RenderSearch(browsing, page)});
  page.problem = Refusal{.text = texts("nothing is filtered by \"colour\"")};
  pages.push_back({"search-problem", RenderSearch(browsing, page)});
  FoundPage modules{.asked = {.scope = SearchScope::kModules, .order = SearchOrder::kAddress}};
  modules.found.items = SampleHits(texts);
  modules.found.more = true;
  const PageFrame listing = Browsing(frame, Section::kModules);
  pages.push_back({"modules", RenderSearch(listing, modules)});
  FoundPage providers{.asked = {.scope = SearchScope::kProviders, .order = SearchOrder::kAddress}};
  pages.push_back(
      {"providers-empty", RenderSearch(Browsing(frame, Section::kProviders), providers)});
}

void AddMessages(const PageFrame& frame, const SampleTexts& texts, std::vector<SamplePage>& pages) {
  MessagePage page;
  for (unsigned status :
       {400, 401, 403, 404, 405, 410, 413, 414, 418, 429, 431, 500, 502, 503, 507}) {
    page.status = status;
    page.request_id = texts("7f3a9c2e51d04b68");
    page.code = status == 413 ? texts("too_large") : "";
    page.text = texts(status == 400 ? "redirect_uri is not http://localhost:PORT/login: a client "
                                      "that may sign in here uses that"
                                    : "");
    page.status_url = texts(status == 500 ? "https://status.kumo.example/registry" : "");
    page.offers_health = status == 500;
    page.retry_after = seconds(status == 429 || status == 503 ? 45 : 0);
    pages.push_back({fmt::format("message-{}", status), RenderMessage(frame, page)});
  }
  page.status_url.clear();
  page.status = 404;
  page.looked_for = texts("platform netwrok aws");
  page.near = SampleHits(texts);
  pages.push_back({"message-near", RenderMessage(Browsing(frame, std::nullopt), page)});
  page.looked_for.clear();
  page.near.clear();
  page.status = 403;
  page.is_stale_form = true;
  page.again = texts("/-/settings/tokens/new");
  pages.push_back({"message-stale", RenderMessage(SignedIn(frame, texts), page)});
  page = {.status = 503, .is_unstored_form = true};
  pages.push_back({"message-unstored", RenderMessage(SignedIn(frame, texts), page)});
  PageFrame bare = frame;
  bare.csrf.clear();
  bare.account = texts("mika.tanaka");
  pages.push_back({"message-bare", RenderMessage(bare, {})});
}

void AddNamespace(const PageFrame& frame, const SampleTexts& texts,
                  std::vector<SamplePage>& pages) {
  PageFrame browsing = Browsing(frame, std::nullopt);
  browsing.has_search = true;
  browsing.feed = texts("/-/feeds/platform.atom");
  browsing.crumbs = {{.name = texts("kumo"), .path = texts("/namespaces/kumo")}};
  NamespacePage page{.name = texts("platform"),
                     .url = texts("https://registry.kumo.example"),
                     .modules = {},
                     .providers = {}};
  page.part = {.offset = 0, .shown = 0, .size = 20};
  page.visibility = Visibility::kPrivate;
  pages.push_back({"namespace-empty", RenderNamespace(browsing, page)});
  page.modules = SampleHits(texts);
  page.providers = {SampleHits(texts)[1]};
  page.has_more_providers = true;
  page.part = {.offset = 20, .shown = 4, .size = 20, .more = true};
  page.visibility = Visibility::kInternal;
  page.may_publish = true;
  page.words = {.title = texts("Platform team"),
                .description = texts("Networks and clusters.\nAsk in #platform.")};
  page.owners = {.owners = {{texts("mika.tanaka@kumo.example"), GranteeKind::kUser},
                            {texts("engineering"), GranteeKind::kGroup},
                            {texts("ci"), GranteeKind::kService}},
                 .more = 2};
  PageFrame signed_in = SignedIn(browsing, texts);
  signed_in.csrf = texts("c5rfT0ken");
  pages.push_back({"namespace", RenderNamespace(signed_in, page)});
}

std::vector<SamplePage> AllPages(const PageFrame& frame, const SampleTexts& texts) {
  std::vector<SamplePage> pages;
  AddHome(frame, texts, pages);
  AddSearch(frame, texts, pages);
  AddNamespace(frame, texts, pages);
  AddSignIn(frame, texts, pages);
  AddConsent(frame, texts, pages);
  AddFirstRun(frame, texts, pages);
  AddMessages(frame, texts, pages);
  AddFormSamples(SignedIn(frame, texts), texts, pages);
  AddProviderSamples(frame, texts, pages);
  AddMirrorSamples(frame, texts, pages);
  AddAdminSamples(frame, texts, pages);
  AddManualSamples(frame, texts, pages);
  AddAdminFormSamples(frame, texts, pages);
  pages.push_back({"signed_out", RenderSignedOut(frame)});
  return pages;
}

}  // namespace

PageFrame SampleFrame(Language language, Theme theme) { return FrameWith({}, language, theme); }

std::vector<SamplePage> SamplePages(const PageFrame& frame) { return AllPages(frame, {}); }

std::vector<SamplePage> PagesFilledWith(const std::string& text, Language language) {
  SampleTexts texts{text};
  return AllPages(FrameWith(texts, language, Theme::kAuto), texts);
}

}  // namespace koya::web
