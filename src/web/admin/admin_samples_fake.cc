#include "web/admin/admin_samples_fake.h"

#include <utility>

#include "web/access/admin_grants.h"
#include "web/admin/admin_pages.h"

namespace koya::web {
namespace {

constexpr UnixSeconds kAdminNow = 1'795'279'270;  // 2026-11-21

PageFrame AdminFrame(PageFrame frame, const FillText& texts, const std::string& path) {
  frame.account = texts("mika.tanaka");
  frame.administers = true;
  frame.sections = {Section::kModules, Section::kProviders, Section::kMirror, Section::kDocs};
  frame.has_search = true;
  frame.path = path;
  frame.crumbs.clear();
  return frame;
}

void AddOverview(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  using Kind = AdminOverviewPage::Trouble::Kind;
  const PageFrame at = AdminFrame(frame, texts, "/-/admin");
  AdminOverviewPage page{.users = 1204,
                         .administrators = 3,
                         .services = 41,
                         .groups = 18,
                         .published_bytes = 31'400'000'000,
                         .mirrored_bytes = 1'840'000'000'000,
                         .knows_state = true,
                         .troubles = {}};
  pages.push_back({"admin", RenderAdminOverview(at, page)});
  page.disabled = 12;
  page.troubles = {{.kind = Kind::kState, .text = texts("the catalog has not responded for 7 s")},
                   {.kind = Kind::kUpstream, .name = texts("registry.terraform.io")},
                   {.kind = Kind::kJob, .name = texts("gc"), .text = texts("the disk is full")},
                   {.kind = Kind::kReplica, .name = texts("koya-2:8443")},
                   {.kind = Kind::kVersions, .text = texts("1.0.0, 1.1.0")},
                   {.kind = Kind::kObjects, .text = texts("3")}};
  pages.push_back({"admin-troubles", RenderAdminOverview(at, page)});
  pages.push_back({"admin-unknown", RenderAdminOverview(at, {.troubles = {}})});
}

AuditRecord SampleAuditRecord(const FillText& texts, std::int64_t id) {
  return {.id = id,
          .entry = {.kind = AuditKind::kChange,
                    .at = kAdminNow - 60 * id,
                    .by = {.name = texts("user:mika.tanaka"),
                           .token = texts("laptop"),
                           .address = texts("2001:db8::17"),
                           .user_agent = texts("koya/1.0.0"),
                           .request_id = texts("7f3a9c2e51d04b68")},
                    .action = texts("grant.put"),
                    .target = texts("group:platform"),
                    .ns = texts("security"),
                    .before = texts("{\"role\":\"reader\"}"),
                    .after = texts("{\"role\":\"owner\"}")},
          .link = AuditAnchor{.sequence = id, .hash = Digest::Of("an entry")}};
}

void AddAudit(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const PageFrame at = AdminFrame(frame, texts, "/-/admin/audit");
  AdminAuditPage page;
  pages.push_back({"admin_audit-empty", RenderAdminAudit(at, page)});
  for (std::int64_t id : {1042, 1041, 1039}) page.entries.push_back(SampleAuditRecord(texts, id));
  AuditEntry& denied = page.entries.back().entry;
  denied = {.kind = AuditKind::kDenied,
            .at = kAdminNow - 9000,
            .by = {.address = texts("192.0.2.44")},
            .action = texts("POST /api/v1/users"),
            .target = texts("status:401"),
            .count = 17};
  page.ends = {.anchor = {.sequence = 200, .hash = Digest::Of("a")},
               .head = {.sequence = 1042, .hash = Digest::Of("an entry")}};
  page.has_more = true;
  pages.push_back({"admin_audit", RenderAdminAudit(at, page)});
  page.entries.clear();
  page.is_first = false;
  page.is_asked = true;
  page.question = {.actor = texts("user:ada"),
                   .action = texts("token"),
                   .target = texts("module:acme/"),
                   .ns = texts("acme"),
                   .address = texts("192.0.2.1"),
                   .token = texts("ci"),
                   .since = texts("24h"),
                   .until = texts("2026-11-21"),
                   .kind = AuditKind::kDenied};
  pages.push_back({"admin_audit-none", RenderAdminAudit(at, page)});
  page.problem = Refusal{.text = texts("the parameter \"since\" must be a time")};
  pages.push_back({"admin_audit-problem", RenderAdminAudit(at, page)});

  AuditRecord record = SampleAuditRecord(texts, 1042);
  pages.push_back({"admin_audit_entry", RenderAdminAuditEntry(at, record)});
  record.entry = {
      .kind = AuditKind::kDenied, .at = kAdminNow, .action = texts("GET /"), .count = 3};
  record.link.reset();
  pages.push_back({"admin_audit_entry-denied", RenderAdminAuditEntry(at, record)});

  AdminAuditProofPage proof{.ends = page.ends};
  pages.push_back({"admin_audit_proof", RenderAdminAuditProof(at, proof)});
  proof.is_walked = true;
  proof.checked = 842;
  pages.push_back({"admin_audit_proof-whole", RenderAdminAuditProof(at, proof)});
  proof.damaged_at = 517;
  proof.damage = texts("entry 517 is missing: entry 518 follows entry 516");
  pages.push_back({"admin_audit_proof-damaged", RenderAdminAuditProof(at, proof)});
  proof = {.expected = texts("x:y"),
           .problem = Refusal{.text = texts("the parameter \"expect\" must be SEQUENCE:HASH")}};
  pages.push_back({"admin_audit_proof-problem", RenderAdminAuditProof(at, proof)});
}

GrantRecord SampleGrantTo(const FillText& texts, GranteeKind kind, std::string name, Role role) {
  return {.ns = texts("platform"),
          .kind = kind,
          .grantee = texts(std::move(name)),
          .role = role,
          .granted_at = kAdminNow - 864'000,
          .granted_by = texts("mika.tanaka")};
}

void AddGrants(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const PageFrame at = AdminFrame(frame, texts, "/-/admin/grants");
  AdminGrantsPage page;
  page.part = {.offset = 0, .shown = 0, .size = 20};
  pages.push_back({"admin_grants-empty", RenderAdminGrants(at, page)});
  page.query = texts("plat");
  pages.push_back({"admin_grants-none", RenderAdminGrants(at, page)});
  page.rows = {
      {.ns = texts("platform"),
       .title = texts("Platform team"),
       .visibility = Visibility::kPublic,
       .grants = {SampleGrantTo(texts, GranteeKind::kUser, "mika.tanaka", Role::kOwner),
                  SampleGrantTo(texts, GranteeKind::kGroup, "platform-team", Role::kOwner),
                  SampleGrantTo(texts, GranteeKind::kGroup, "everybody", Role::kReader),
                  SampleGrantTo(texts, GranteeKind::kService, "ci", Role::kPublisher)}},
      {.ns = texts("security"),
       .visibility = Visibility::kPrivate,
       .grants = {SampleGrantTo(texts, GranteeKind::kGroup, "platform-team", Role::kPublisher)}},
      {.ns = texts("data"), .visibility = Visibility::kInternal, .grants = {}}};
  for (int i = 0; i < 6; ++i) {
    page.rows[2].grants.push_back(
        SampleGrantTo(texts, GranteeKind::kUser, "user" + std::to_string(i), Role::kReader));
  }
  page.part = {.offset = 20, .shown = 3, .size = 20, .total = 63};
  pages.push_back({"admin_grants", RenderAdminGrants(at, page)});
  page.ns = texts("nowhere");
  page.kind = "service";
  page.grantee = texts("ci");
  page.role = "owner";
  page.errors.Add("ns", "no_such_namespace")
      .AddError("grantee", {.text = texts("there is no such group")});
  pages.push_back({"admin_grants-problems", RenderAdminGrants(at, page)});
}

void AddWhy(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  using Reason = AdminWhyPage::Reason;
  const PageFrame at = AdminFrame(frame, texts, "/-/admin/grants/why");
  AdminWhyPage page{.question = {.who = texts("ada"),
                                 .deed = WhyQuestion::Permission::kPublish,
                                 .ns = texts("data")},
                    .problem = Refusal{.text = texts("there is no user named \"ada\"")},
                    .answer = std::nullopt};
  pages.push_back({"admin_why-problem", RenderAdminWhy(at, page)});
  page.problem = {};
  page.answer = {.may = true,
                 .reason = Reason::kGrant,
                 .name = texts("ada"),
                 .ns = texts("data"),
                 .grants = {SampleGrantTo(texts, GranteeKind::kGroup, "analysts", Role::kPublisher),
                            SampleGrantTo(texts, GranteeKind::kUser, "ada", Role::kPublisher)}};
  pages.push_back({"admin_why", RenderAdminWhy(at, page)});
  for (Reason reason :
       {Reason::kDisabled, Reason::kAdministrator, Reason::kPublic, Reason::kInternal,
        Reason::kTooLittle, Reason::kNothing, Reason::kStranger, Reason::kNotEverything}) {
    page.answer->reason = reason;
    page.answer->may = reason == Reason::kAdministrator || reason == Reason::kPublic ||
                       reason == Reason::kInternal;
    page.answer->has_namespace = reason != Reason::kNothing;
    if (reason != Reason::kTooLittle) page.answer->grants.clear();
    pages.push_back(
        {"admin_why-" + std::to_string(static_cast<int>(reason)), RenderAdminWhy(at, page)});
  }
}

ShownJob SampleJob(const FillText& texts, std::string job, bool failed) {
  return {.job = texts(std::move(job)),
          .ended_at = kAdminNow - 900,
          .took = std::chrono::milliseconds(failed ? 4'312'000 : 12'480),
          .failed = failed,
          .told = texts(failed ? "the disk is full" : "4,210 blobs were looked at"),
          .runs = 31,
          .failures = 2,
          .failed_at = kAdminNow - 90'000,
          .last_failure = texts("the object store does not answer")};
}

void AddStorage(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const PageFrame at = AdminFrame(frame, texts, "/-/admin/storage");
  AdminStoragePage page{.now = kAdminNow};
  pages.push_back({"admin_storage-new", RenderAdminStorage(at, page)});
  page.sums = {.modules = {25'117, 812'000'000},
               .provider_packages = {412, 9'400'000'000},
               .provider_docs = {61, 48'000'000},
               .mirrored = {1'840, 412'000'000'000},
               .drafts = {3, 71'000'000},
               .objects = {.arriving = {2, 1'000'000},
                           .stored = {27'000, 422'000'000'000},
                           .lost = {3, 40'000},
                           .leaving = {12, 7'000'000},
                           .oldest_leaving_at = kAdminNow - 7200}};
  page.collection = SampleJob(texts, "gc", false);
  page.bound = SampleJob(texts, "mirror-bound", true);
  page.sweep = SampleJob(texts, "store-sweep", false);
  page.sweep->waiting = 3;
  page.scrub = SampleJob(texts, "cache-scrub", false);
  pages.push_back({"admin_storage", RenderAdminStorage(at, page)});
}

void AddHealth(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const PageFrame at = AdminFrame(frame, texts, "/-/admin/health");
  AdminHealthPage page{.now = kAdminNow};
  pages.push_back({"admin_health-unknown", RenderAdminHealth(at, page)});
  page.knows_state = true;
  page.is_ready = true;
  page.servers = {{.address = texts("koya-1:8443"),
                   .version = texts("1.0.0"),
                   .started_at = kAdminNow - 400'000,
                   .seen_at = kAdminNow - 2,
                   .feed_age = std::chrono::milliseconds(410),
                   .clock_ahead = std::chrono::milliseconds(-12),
                   .leases = {texts("audit"), texts("gc")}},
                  {.address = texts("koya-2:8443"),
                   .version = texts("1.0.0"),
                   .started_at = kAdminNow - 400'100,
                   .seen_at = kAdminNow - 3,
                   .leases = {}}};
  page.jobs = {SampleJob(texts, "gc", false),
               SampleJob(texts, "sign-ins", true),
               {.job = texts("readings"), .waiting = 1'204}};
  page.numbers = {{texts("koya_catalog_queued{lane=\"write\"}"), texts("0")},
                  {texts("koya_leases_held"), texts("2")}};
  pages.push_back({"admin_health", RenderAdminHealth(at, page)});
  page.reasons = {texts("tokens that were checked count for another 3,590 s without the catalog")};
  pages.push_back({"admin_health-degraded", RenderAdminHealth(at, page)});
  page.is_ready = false;
  page.reasons.insert(page.reasons.begin(), texts("the catalog has not responded for 10 s"));
  pages.push_back({"admin_health-not_ready", RenderAdminHealth(at, page)});
}

}  // namespace

void AddAdminSamples(const PageFrame& frame, const FillText& texts,
                     std::vector<SamplePage>& pages) {
  AddOverview(frame, texts, pages);
  AddAudit(frame, texts, pages);
  AddGrants(frame, texts, pages);
  AddWhy(frame, texts, pages);
  AddStorage(frame, texts, pages);
  AddHealth(frame, texts, pages);
}

}  // namespace koya::web
