#include "web/admin/admin_pages.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "markup/fragment.h"
#include "web/common/admin_parts.h"
#include "web/common/audit_sentence.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"

namespace koya::web {
KOYA_VIEW(AdminOverviewPage::Trouble, kind, name, text);
KOYA_VIEW(AdminOverviewPage, users, disabled, administrators, services, groups, mirrored_bytes,
          knows_state, troubles);
KOYA_VIEW(ShownJob, job, ended_at, took, waiting, failed, told, runs, failures, failed_at,
          last_failure);
KOYA_VIEW(StoredSum, count, bytes);
KOYA_VIEW(StorageSums::Objects, arriving, stored, lost, leaving, oldest_leaving_at);
KOYA_VIEW(StorageSums, modules, provider_packages, provider_docs, attachments, mirrored,
          mirrored_attachments, drafts, objects);
KOYA_VIEW(AdminStoragePage, sums, collection, bound, sweep, scrub, now);
KOYA_VIEW(AdminHealthPage::Server, address, version, started_at, seen_at, leases);
KOYA_VIEW(AdminHealthPage::Number, name, value);
KOYA_VIEW(AdminHealthPage, knows_state, is_ready, reasons, jobs, numbers, now);
KOYA_VIEW(Actor, name, token, address, user_agent, request_id);
KOYA_VIEW(AuditEntry, kind, at, by, action, target, ns, count);
KOYA_VIEW(AuditQuestion, actor, action, target, ns, address, token, since, until, kind);
KOYA_VIEW(AdminAuditPage, question);
KOYA_VIEW(AdminAuditProofPage, expected, checked, damage);

namespace {

bool HasObjects(const StorageSums::Objects& objects) {
  return objects.arriving.count + objects.stored.count + objects.lost.count +
             objects.leaving.count !=
         0;
}

View ServerView(const AdminHealthPage::Server& server) {
  return View()
      .Of(server)
      .Set("feed_age", fmt::format("{} ms", server.feed_age.count()))
      .Set("clock_ahead", fmt::format("{} ms", server.clock_ahead.count()));
}

View EntryView(Language language, const AuditRecord& record) {
  return View()
      .Of(record.entry)
      .Set("id", fmt::to_string(record.id))
      .Set("sentence", AuditSentence(language, record.entry));
}

struct SavedFilter {
  std::string_view word;  // audit.saved_…
  std::string_view action;
  std::optional<AuditKind> kind = {};
};
constexpr std::array<SavedFilter, 5> kSavedFilters{
    {{"all", ""},
     {"sign_ins", "session,password"},
     {"permissions", "account,group,grant,token,idp,trust,key,namespace"},
     {"publishing", "module,provider"},
     {"denied", "", AuditKind::kDenied}}};

View SavedFilterView(const SavedFilter& filter, const AuditQuestion& question) {
  const AuditQuestion saved{.action = std::string(filter.action), .kind = filter.kind};
  const std::string path = AuditListPath(AdminPath(AdminTab::kAudit), saved);
  return View()
      .Set("is", filter.word)
      .Set("path", path)
      .Set("is_current", path == AuditListPath(AdminPath(AdminTab::kAudit), question));
}

void AddAuditEnds(View& view, const AuditEnds& ends) {
  const bool is_chained = ends.head.sequence > 0;
  view.Set("is_chained", is_chained)
      .Set("head_sequence", NumberText(static_cast<std::uint64_t>(ends.head.sequence)))
      .Set("head_hash", ends.head.hash.hex())
      .Set("head_link", fmt::format("{}:{}", ends.head.sequence, ends.head.hash.hex()))
      .Set("removed_count", ends.anchor.sequence == 0
                                ? ""
                                : NumberText(static_cast<std::uint64_t>(ends.anchor.sequence)));
}

std::optional<View> JsonView(std::string_view id, std::string_view json) {
  if (json.empty()) return std::nullopt;
  return CodeView(id, "JSON", markup::Fragment::Code(json));
}

}  // namespace

std::string RenderAdminOverview(const PageFrame& frame, const AdminOverviewPage& page) {
  View view = AdminView(frame, AdminTab::kOverview, "").Of(page);
  view.Set("stored_bytes", page.published_bytes + page.mirrored_bytes)
      .Set("trouble_count", page.troubles.size());
  return RenderTemplate("admin", frame.language, view);
}

std::string RenderAdminStorage(const PageFrame& frame, const AdminStoragePage& page) {
  const StorageSums& sums = page.sums;
  View view = AdminView(frame, AdminTab::kStorage, "koya verify").Of(page);
  view.Set("has_objects", HasObjects(sums.objects))
      .Set("lost_count", sums.objects.lost.count)
      .Set("all_bytes", sums.modules.bytes + sums.provider_packages.bytes +
                            sums.provider_docs.bytes + sums.attachments.bytes +
                            sums.mirrored.bytes + sums.mirrored_attachments.bytes +
                            sums.drafts.bytes);
  return RenderTemplate("admin_storage", frame.language, view);
}

std::string RenderAdminHealth(const PageFrame& frame, const AdminHealthPage& page) {
  View view = AdminView(frame, AdminTab::kHealth, "koya admin replicas").Of(page);
  view.List("servers", page.servers, ServerView);
  return RenderTemplate("admin_health", frame.language, view);
}

std::string AuditListPath(std::string_view path, const AuditQuestion& question) {
  const std::array<std::pair<std::string_view, std::string_view>, 8> fields{
      {{"actor", question.actor},
       {"action", question.action},
       {"target", question.target},
       {"namespace", question.ns},
       {"address", question.address},
       {"token", question.token},
       {"since", question.since},
       {"until", question.until}}};
  std::string whole(path);
  for (const auto& [name, value] : fields) {
    if (!value.empty()) whole = PathWith(whole, name, value);
  }
  if (question.kind) whole = PathWith(whole, "kind", AuditKindName(*question.kind));
  return whole;
}

std::string RenderAdminAudit(const PageFrame& frame, const AdminAuditPage& page) {
  const std::string path = AuditListPath(AdminPath(AdminTab::kAudit), page.question);
  const std::string export_path = AdminPath(AdminTab::kAudit) + "/export/";
  const std::string below = page.entries.empty() ? "" : fmt::to_string(page.entries.back().id);
  View view = AdminView(frame, AdminTab::kAudit, "koya audit list").Of(page);
  AddAuditEnds(view, page.ends);
  AddRefusal(view, frame.language, page.problem);
  const bool is_empty = page.entries.empty() && page.problem.empty();
  view.List("entries", page.entries,
            [&frame](const AuditRecord& each) { return EntryView(frame.language, each); })
      .List("saved", kSavedFilters,
            [&page](const SavedFilter& each) { return SavedFilterView(each, page.question); })
      .Set("found_nothing", is_empty && page.is_asked)
      .Set("has_nothing", is_empty && !page.is_asked)
      .Set("has_pages", !page.is_first || page.has_more)
      .Set("newest_path", page.is_first ? "" : path)
      .Set("older_path", page.has_more ? PathWith(path, "below", below) : "")
      .Set("jsonl_path", AuditListPath(export_path + "audit.jsonl", page.question))
      .Set("csv_path", AuditListPath(export_path + "audit.csv", page.question));
  return RenderTemplate("admin_audit", frame.language, view);
}

std::string RenderAdminAuditEntry(const PageFrame& frame, const AuditRecord& record) {
  View view = AdminView(frame, AdminTab::kAudit, "");
  view.Set("entry", EntryView(frame.language, record))
      .Set("before", JsonView("before", record.entry.before))
      .Set("after", JsonView("after", record.entry.after))
      .Set("sequence",
           record.link ? NumberText(static_cast<std::uint64_t>(record.link->sequence)) : "")
      .Set("hash", record.link ? record.link->hash.hex() : "");
  return RenderTemplate("admin_audit_entry", frame.language, view);
}

std::string RenderAdminAuditProof(const PageFrame& frame, const AdminAuditProofPage& page) {
  View view = AdminView(frame, AdminTab::kAudit, "koya audit verify").Of(page);
  AddAuditEnds(view, page.ends);
  const bool is_damaged = page.damaged_at != 0;
  AddRefusal(view, frame.language, page.problem);
  view.Set("is_whole", page.is_walked && !is_damaged)
      .Set("is_damaged", page.is_walked && is_damaged);
  return RenderTemplate("admin_audit_proof", frame.language, view);
}

}  // namespace koya::web
