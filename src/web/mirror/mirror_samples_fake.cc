#include <utility>

#include "web/mirror/mirror_pages.h"
#include "web/sample_parts_fake.h"

namespace koya::web {
namespace {

constexpr UnixSeconds kMirrorNow = 1'795'279'270;  // 2026-11-21

PageFrame MirrorFrame(PageFrame frame, const FillText& texts, const std::string& path) {
  frame.account = texts("mika.tanaka");
  frame.sections = {Section::kModules, Section::kProviders, Section::kMirror, Section::kDocs};
  frame.current = Section::kMirror;
  frame.has_search = true;
  frame.path = path;
  frame.crumbs.clear();
  return frame;
}

MirrorHead SampleMirrorHead() {
  return {.providers = 202, .modules = 12, .packages = 214, .upstreams = 4, .rules = 3};
}

ShownUpstream SampleUpstream(const FillText& texts, const std::string& host,
                             ShownUpstream::Kind kind) {
  using Kind = ShownUpstream::Kind;
  ShownUpstream upstream{.host = texts(host), .path = MirrorUpstreamPath(host), .kind = kind};
  upstream.hours.resize(24);
  if (kind == Kind::kUnasked) return upstream;
  for (std::size_t i = 0; i < upstream.hours.size(); ++i) {
    upstream.hours[i].asked = 20 + i * 7 % 60;
    upstream.hours[i].failed = kind == Kind::kFresh ? i / 20 : upstream.hours[i].asked;
  }
  if (kind != Kind::kFailing) upstream.answered_at = kMirrorNow - 120;
  if (kind == Kind::kFresh) {
    upstream.median = std::chrono::milliseconds(38);
    return upstream;
  }
  upstream.failing_since = kMirrorNow - 3600;
  upstream.cause = texts(
      "the list of versions at https://registry.terraform.io/v1/providers could "
      "not be fetched: it did not answer within 8 seconds");
  return upstream;
}

ShownActivity SampleActivity() {
  ShownActivity activity{.sent = 1'230,
                         .kept = 1'204,
                         .sent_bytes = 1'320'000'000'000,
                         .kept_bytes = 1'300'000'000'000,
                         .turned_away = 37,
                         .days = {},
                         .ready = ShownActivity::Ready{.fetched = 214, .held = 211}};
  for (std::uint64_t i = 0; i < 30; ++i) {
    activity.days.push_back(
        {.sent = 20 + i * 7 % 60, .sent_bytes = (40 + i * 11 % 50) * 1'000'000'000});
  }
  return activity;
}

MirrorPage SampleMirror(const FillText& texts) {
  using Kind = ShownUpstream::Kind;
  return {.head = SampleMirrorHead(),
          .upstreams = {SampleUpstream(texts, "registry.opentofu.org", Kind::kFresh),
                        SampleUpstream(texts, "registry.terraform.io", Kind::kStale),
                        SampleUpstream(texts, "tofu.partner.example", Kind::kFailing),
                        SampleUpstream(texts, "registry.kumo-lab.example", Kind::kUnasked)},
          .since = kMirrorNow - 400'000,
          .now = kMirrorNow,
          .held_bytes = 1'840'000'000'000,
          .of_late = SampleActivity()};
}

std::vector<MirrorRow> SampleRows(const FillText& texts) {
  return {{.host = texts("registry.opentofu.org"),
           .address = texts("hashicorp/aws"),
           .path = "/-/mirror/providers/registry.opentofu.org/hashicorp/aws",
           .verdict = ShownVerdict::kAllowed,
           .rule = texts("registry.opentofu.org/hashicorp/*"),
           .versions = 31,
           .held = 40,
           .held_bytes = 4'100'000'000,
           .last_version = texts("6.21.0"),
           .last_seen_at = kMirrorNow - 86'400,
           .checked_at = kMirrorNow - 100,
           .is_fresh = true,
           .fetches = 12'345,
           .hold = ShownHold{.until = kMirrorNow + 500'000, .path = "/-/mirror/explain"}},
          {.host = texts("registry.opentofu.org"),
           .address = texts("acme-labs/awsx"),
           .path = "/-/mirror/providers/registry.opentofu.org/acme-labs/awsx",
           .verdict = ShownVerdict::kDenied,
           .rule = texts("*/acme-labs/*"),
           .versions = 1,
           .last_version = texts("0.1.0"),
           .last_seen_at = kMirrorNow - 86'400,
           .checked_at = kMirrorNow - 86'400},
          {.host = texts("registry.example.net"),
           .address = texts("imported/thing"),
           .verdict = ShownVerdict::kStoredOnly,
           .versions = 1,
           .held = 1,
           .held_bytes = 17'000'000,
           .last_version = texts("1.0.0"),
           .last_seen_at = kMirrorNow - 86'400},
          {.host = texts("registry.opentofu.org"),
           .address = texts("other/thing"),
           .verdict = ShownVerdict::kNotListed,
           .versions = 1,
           .last_version = texts("1.0.0"),
           .last_seen_at = kMirrorNow - 86'400}};
}

void AddUpstreams(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  using Kind = ShownUpstream::Kind;
  const std::string host = "registry.terraform.io";
  const PageFrame at = MirrorFrame(frame, texts, MirrorUpstreamPath(host));
  MirrorUpstreamPage page{.head = SampleMirrorHead(),
                          .upstream = SampleUpstream(texts, host, Kind::kStale),
                          .host = texts(host),
                          .providers = SampleRows(texts),
                          .modules = SampleRows(texts),
                          .since = kMirrorNow - 400'000,
                          .now = kMirrorNow};
  pages.push_back({"mirror_upstream", RenderMirrorUpstream(at, page)});
  page.modules.clear();
  page.upstream = SampleUpstream(texts, host, Kind::kFresh);
  pages.push_back({"mirror_upstream-fresh", RenderMirrorUpstream(at, page)});
  page.providers.clear();
  page.upstream = SampleUpstream(texts, host, Kind::kUnasked);
  pages.push_back({"mirror_upstream-unasked", RenderMirrorUpstream(at, page)});
}

void AddStatus(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const PageFrame at = MirrorFrame(frame, texts, "/-/mirror");
  MirrorPage page = SampleMirror(texts);
  pages.push_back({"mirror", RenderMirror(at, page)});
  pages.push_back({"mirror_upstreams", RenderMirrorUpstreams(at, page)});
  page.upstreams.resize(1);
  pages.push_back({"mirror-well", RenderMirror(at, page)});
  page.upstreams[0] = SampleUpstream(texts, "a.example", ShownUpstream::Kind::kUnasked);
  page.held_bytes = 0;
  page.of_late = {};
  page.of_late.days.resize(30);
  pages.push_back({"mirror-unasked", RenderMirror(at, page)});
  page.upstreams.clear();
  pages.push_back({"mirror-none", RenderMirror(at, page)});
  pages.push_back({"mirror_upstreams-none", RenderMirrorUpstreams(at, page)});
  for (int i = 0; i < 6; ++i) {
    page.upstreams.push_back(SampleUpstream(texts, "b.example", ShownUpstream::Kind::kFailing));
  }
  pages.push_back({"mirror-failing", RenderMirror(at, page)});
}

void AddPackages(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const std::string path = "/-/mirror/packages";
  const PageFrame at = MirrorFrame(frame, texts, path);
  MirrorPackagesPage page{.head = SampleMirrorHead(),
                          .fresh_for = std::chrono::seconds(300),
                          .path = path,
                          .now = kMirrorNow};
  page.rows = SampleRows(texts);
  page.part = {.offset = 50, .shown = 4, .size = 50, .total = 0, .more = true};
  pages.push_back({"mirror_packages", RenderMirrorPackages(at, page)});
  page.rows.clear();
  page.query = texts("hashicorp/azurerm");
  page.of_modules = true;
  page.freshness = MirrorPackagesPage::Freshness::kStale;
  page.verdict = ShownVerdict::kNotListed;
  page.is_cut = true;
  page.part = {.offset = 0, .shown = 0, .size = 50, .total = 0, .more = false};
  pages.push_back({"mirror_packages-none", RenderMirrorPackages(at, page)});
  page.query.clear();
  page.freshness = MirrorPackagesPage::Freshness::kAny;
  page.verdict.reset();
  page.counts_fetches = false;
  page.is_cut = false;
  pages.push_back({"mirror_packages-empty", RenderMirrorPackages(at, page)});
}

void AddPolicy(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  MirrorPolicyPage page{
      .head = SampleMirrorHead(),
      .in_force = ShownRevision{3, texts("user:ada"), kMirrorNow - 86'400,
                                texts("new releases wait a week")},
      .text = texts("version = 1\nbelieve_times_of = [\"registry.example.com\"]\n"),
      .is_text_cut = true,
      .rules = {{texts("cool-down"), 1'204, 0}, {texts("policy.deny"), 0, 37}},
      .earlier = {{2, texts("user:ada"), kMirrorNow - 864'000,
                   texts("back to two days: builds failed")},
                  {1, texts("token:secops"), kMirrorNow - 999'000,
                   texts("new releases wait two days")}},
      .has_older = true,
      .hosts = {texts("registry.opentofu.org"), texts("registry.terraform.io")},
      .allow = {texts("registry.opentofu.org/hashicorp/*")},
      .deny = {texts("*/acme-labs/*"), texts("*/acme-labs/*/*")}};
  const PageFrame at = MirrorFrame(frame, texts, "/-/mirror/policy");
  pages.push_back({"mirror_policy", RenderMirrorPolicy(at, page)});
  page.in_force.reset();
  page.text.clear();
  page.is_text_cut = false;
  page.rules.clear();
  page.earlier.clear();
  page.hosts.clear();
  page.allow.clear();
  page.deny.clear();
  pages.push_back({"mirror_policy-empty", RenderMirrorPolicy(at, page)});
}

void AddHeld(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  using Kind = ShownPolicyVerdict::Kind;
  MirrorHeldPage page{
      .head = SampleMirrorHead(),
      .rows = {{.address = texts("registry.opentofu.org/hashicorp/aws"),
                .version = texts("6.22.0"),
                .path = MirrorExplainPath("registry.opentofu.org/hashicorp/aws", "6.22.0"),
                .kind = Kind::kHold,
                .until = kMirrorNow + 500'000,
                .reason = texts("releases must be 7 days old (rule cool-down)")},
               {.address = texts("registry.opentofu.org/acme-labs/awsx"),
                .version = texts("0.1.0"),
                .path = "/-/mirror/explain",
                .kind = Kind::kRefuse,
                .reason = texts("it is forbidden (rule policy.deny)")}},
      .part = {.offset = 0, .shown = 2, .size = 50, .total = 2, .more = false},
      .is_cut = true};
  const PageFrame at = MirrorFrame(frame, texts, std::string(MirrorHeldPage::kPath));
  pages.push_back({"mirror_held", RenderMirrorHeld(at, page)});
  page.rows.clear();
  page.part = {.offset = 0, .shown = 0, .size = 50, .total = 0, .more = false};
  page.is_cut = false;
  pages.push_back({"mirror_held-none", RenderMirrorHeld(at, page)});
}

void AddKeys(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const PageFrame at = MirrorFrame(frame, texts, "/-/mirror/keys/registry.opentofu.org/hashicorp");
  const std::string path = "/-/mirror/providers/registry.opentofu.org/hashicorp/aws/6.22.0";
  const MirrorKeysPage page{
      .head = SampleMirrorHead(),
      .host = texts("registry.opentofu.org"),
      .ns = texts("hashicorp"),
      .keys = {{.fingerprint = texts("C874011F0AB405110D02105534365D9472D7468F"),
                .is_signed = true,
                .is_known = true,
                .releases = 31,
                .first_seen_at = kMirrorNow - 9'000'000,
                .last_seen_at = kMirrorNow,
                .newest = {{texts("aws"), texts("6.22.0"), path},
                           {texts("random"), texts("3.7.0"), path}},
                .has_older = true},
               {.fingerprint = texts("91A6E7F85D05C65630BEF18951852D87348FFC4C"),
                .is_signed = true,
                .releases = 1,
                .first_seen_at = kMirrorNow - 9'000'000,
                .last_seen_at = kMirrorNow - 9'000'000,
                .newest = {{texts("aws"), texts("5.0.0"), path}}},
               {.is_signed = true, .releases = 2},
               {.releases = 1}}};
  pages.push_back({"mirror_keys", RenderMirrorKeys(at, page)});
}

std::vector<MirrorExplainPage::Way> SampleWays(const FillText& texts) {
  using State = MirrorExplainPage::Way::State;
  return {{.refusal = texts("registry.opentofu.org/hashicorp/aws 6.22.0 was imported, or came from "
                            "a network mirror, without its author's signature: it can be served by "
                            "/mirror/ only")},
          {.is_mirror = true,
           .state = State::kAvailable,
           .platforms = texts("darwin_arm64, linux_amd64"),
           .others_come = true}};
}

ShownPolicyVerdict SampleVerdict(const FillText& texts) {
  using Kind = ShownPolicyVerdict::Kind;
  return {.version = texts("6.22.0"),
          .kind = Kind::kHold,
          .until = kMirrorNow + 500'000,
          .revision = 3,
          .reasons = {{texts("cool-down"), Kind::kHold,
                       texts("releases must be 7 days old; released 2026-11-20T16:41:10Z, as its "
                             "registry states; an exception lifts it: rules = [\"cool-down\"]")},
                      {texts("known-signers"), Kind::kAllow, texts("it is signed by the key A")},
                      {texts("no-rc"), Kind::kNote, texts("prereleases are not handed out")},
                      {"", Kind::kRefuse, texts("its registry now offers other bytes")}},
          .instead = texts("6.21.0")};
}

void AddExplanations(const PageFrame& frame, const FillText& texts,
                     std::vector<SamplePage>& pages) {
  const PageFrame at = MirrorFrame(frame, texts, "/-/mirror/explain");
  MirrorExplainPage page{.head = SampleMirrorHead(),
                         .address = "",
                         .version = "",
                         .usual_host = texts("registry.opentofu.org"),
                         .now = kMirrorNow};
  pages.push_back({"mirror_explain", RenderMirrorExplain(at, page)});
  page.address = texts("hashicorp/aws");
  page.version = texts("6.22.0");
  page.answer = MirrorExplainPage::Answer{
      .key = texts("registry.opentofu.org/hashicorp/aws"),
      .host = texts("registry.opentofu.org"),
      .ways = SampleWays(texts),
      .registry = SampleUpstream(texts, "registry.opentofu.org", ShownUpstream::Kind::kStale),
      .verdict = ShownVerdict::kAllowed,
      .rule = texts("registry.opentofu.org/hashicorp/*"),
      .versions = 31,
      .version = texts("6.22.0"),
      .is_pinned = true,
      .held = 4,
      .seen_at = kMirrorNow,
      .path = "/-/mirror/providers/registry.opentofu.org/hashicorp/aws",
      .policy = SampleVerdict(texts)};
  pages.push_back({"mirror_explain-given", RenderMirrorExplain(at, page)});
  using State = MirrorExplainPage::Way::State;
  page.answer->held = 0;
  page.answer->policy->kind = ShownPolicyVerdict::Kind::kAllow;
  page.answer->policy->reasons.clear();
  page.answer->ways[0].state = State::kAllowed;
  page.answer->ways[1] = {.is_mirror = true, .state = State::kAllowed};
  page.answer->unlisted_at = kMirrorNow - 100;
  pages.push_back({"mirror_explain-fetched", RenderMirrorExplain(at, page)});
  page.answer->version.clear();
  page.answer->path.clear();
  page.answer->ways[1].state = State::kAvailable;
  page.answer->ways[1].version = texts("6.21.0");
  pages.push_back({"mirror_explain-any", RenderMirrorExplain(at, page)});
  page.answer->policy.reset();
  page.answer->verdict = ShownVerdict::kDenied;
  page.answer->rule = texts("*/hashicorp/*");
  page.answer->registry.reset();
  page.answer->ways = {
      {.refusal = texts("registry.opentofu.org/hashicorp/aws is not mirrored here: the rule "
                        "policy.deny \"*/hashicorp/*\" forbids it; ask the administrators of "
                        "this registry")}};
  pages.push_back({"mirror_explain-refused", RenderMirrorExplain(at, page)});
  page.answer.reset();
  page.problem =
      Refusal{.text = texts("\"aws\" is not an address: write NAMESPACE/TYPE for a provider")};
  pages.push_back({"mirror_explain-bad", RenderMirrorExplain(at, page)});
}

std::vector<VerifyLockPage::Provider> SampleLocked(const FillText& texts) {
  using Provider = VerifyLockPage::Provider;
  using State = VerifyLockPage::Hash::State;
  const std::string zip = texts("terraform-provider-aws_6.22.0_linux_amd64.zip");
  const std::string other =
      texts("zh:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f0");
  return {
      {.address = texts("registry.opentofu.org/hashicorp/aws"),
       .version = texts("6.22.0"),
       .verdict = Provider::Verdict::kDenied,
       .seen_at = kMirrorNow,
       .host = texts("registry.opentofu.org"),
       .key = texts("34365D9472D7468F"),
       .hashes = {{texts("h1:Jd2aUBkGTLBlfWGqOV2cXt8yWOSJfXBwvRNdnhUwzKg="), State::kKnown, zip},
                  {other, State::kDiffers},
                  {texts("h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="), State::kUnchecked}}},
      {.address = texts("registry.kumo.example/kumo/inventory"),
       .version = texts("2.3.1"),
       .seen_at = kMirrorNow,
       .key = texts("C874011F0AB405110D02105534365D9472D7468F"),
       .by = texts("kumo/terraform-provider-inventory"),
       .hashes = {}},
      {.address = texts("registry.kumo.example/kumo/gone"),
       .version = texts("1.0.0"),
       .verdict = Provider::Verdict::kWithdrawn,
       .hashes = {{other, State::kUnknown}}}};
}

void AddVerifyLock(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  PageFrame at = MirrorFrame(frame, texts, std::string(VerifyLockPage::kPath));
  at.current.reset();
  pages.push_back({"verify_lock", RenderVerifyLock(at, {})});
  VerifyLockPage page{.text = texts("<<<<<<< HEAD")};
  page.errors.AddError("lock", {.text = texts("line 1: a block or an attribute was expected"),
                                .typed = Typed::kLockFile});
  pages.push_back({"verify_lock-wrong", RenderVerifyLock(at, page)});
  page = {.providers = SampleLocked(texts)};
  pages.push_back({"verify_lock-report", RenderVerifyLock(at, page)});
  page.providers->pop_back();
  page.providers->front().hashes.resize(1);
  pages.push_back({"verify_lock-good", RenderVerifyLock(at, page)});
  page.providers->clear();
  pages.push_back({"verify_lock-empty", RenderVerifyLock(at, page)});
}

}  // namespace

void AddMirrorSamples(const PageFrame& frame, const FillText& texts,
                      std::vector<SamplePage>& pages) {
  AddStatus(frame, texts, pages);
  AddUpstreams(frame, texts, pages);
  AddPackages(frame, texts, pages);
  AddPolicy(frame, texts, pages);
  AddHeld(frame, texts, pages);
  AddKeys(frame, texts, pages);
  AddExplanations(frame, texts, pages);
  AddVerifyLock(frame, texts, pages);
}

}  // namespace koya::web
