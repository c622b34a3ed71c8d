// The audit log, for administrators. See admin_pages.h.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "markup/fragment.h"
#include "web/admin/admin_pages.h"
#include "web/common/admin_parts.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"

namespace koya::web {
namespace {

View EntryView(const PageFrame& frame, const AuditRecord& record) {
  const AuditEntry& entry = record.entry;
  View view;
  view.Text("entry_path", AuditEntryPath(record.id))
      .Text("entry_id", fmt::to_string(record.id))
      .Text("actor", entry.by.name)
      .Flag("is_stranger", entry.by.name.empty())
      .Text("token", entry.by.token)
      .Text("from_address", entry.by.address)
      .Text("action", entry.action)
      .Text("target", entry.target)
      .Text("entry_ns", entry.ns)
      .Flag("is_denied", entry.kind == AuditKind::kDenied)
      .Text("times", entry.count > 1 ? NumberText(entry.count) : "");
  AddMoment(view, "at", frame.language, entry.at);
  return view;
}

void AddAuditQuestion(View& view, const AuditQuestion& question) {
  view.Text("asked_actor", question.actor)
      .Text("asked_action", question.action)
      .Text("asked_target", question.target)
      .Text("asked_ns", question.ns)
      .Text("asked_address", question.address)
      .Text("asked_token", question.token)
      .Text("asked_since", question.since)
      .Text("asked_until", question.until)
      .Flag("any_kind", !question.kind)
      .Flag("changes_only", question.kind == AuditKind::kChange)
      .Flag("denied_only", question.kind == AuditKind::kDenied);
}

void AddAuditEnds(View& view, const AuditEnds& ends) {
  const bool is_chained = ends.head.sequence > 0;
  view.Flag("is_chained", is_chained)
      .Text("head_sequence", NumberText(static_cast<std::uint64_t>(ends.head.sequence)))
      .Text("head_hash", ends.head.hash.hex())
      .Text("head_link", fmt::format("{}:{}", ends.head.sequence, ends.head.hash.hex()))
      .Text("removed_count", ends.anchor.sequence == 0
                                 ? ""
                                 : NumberText(static_cast<std::uint64_t>(ends.anchor.sequence)))
      .Text("proof_path", "/-/admin/audit/proof");
}

std::optional<View> JsonView(std::string_view id, std::string_view json) {
  if (json.empty()) return std::nullopt;
  return CodeView(id, "JSON", markup::Fragment::Code(json));
}

}  // namespace

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
  std::vector<View> entries;
  for (const AuditRecord& each : page.entries) entries.push_back(EntryView(frame, each));
  const bool has_entries = !entries.empty();
  const std::string below = has_entries ? fmt::to_string(page.entries.back().id) : "";
  const bool is_asked = page.is_asked;
  View view = AdminView(frame, AdminTab::kAudit, "koya audit list");
  AddAuditQuestion(view, page.question);
  AddAuditEnds(view, page.ends);
  AddRefusal(view, frame.language, page.problem);
  view.Flag("has_entries", has_entries)
      .Flag("found_nothing", !has_entries && is_asked && page.problem.empty())
      .Flag("has_nothing", !has_entries && !is_asked && page.problem.empty())
      .List("entries", std::move(entries))
      .Flag("has_pages", !page.is_first || page.has_more)
      .Text("newest_path", page.is_first ? "" : path)
      .Text("older_path", page.has_more ? PathWith(path, "below", below) : "")
      .Text("jsonl_path", AuditListPath(export_path + "audit.jsonl", page.question))
      .Text("csv_path", AuditListPath(export_path + "audit.csv", page.question));
  return RenderTemplate("admin_audit", frame.language, view);
}

std::string RenderAdminAuditEntry(const PageFrame& frame, const AuditRecord& record) {
  View view = AdminView(frame, AdminTab::kAudit, "");
  view.Maybe("entry", EntryView(frame, record))
      .Text("title_entry", fmt::to_string(record.id))
      .Text("user_agent", record.entry.by.user_agent)
      .Text("request_id", record.entry.by.request_id)
      .Maybe("before", JsonView("before", record.entry.before))
      .Maybe("after", JsonView("after", record.entry.after))
      .Text("sequence",
            record.link ? NumberText(static_cast<std::uint64_t>(record.link->sequence)) : "")
      .Text("hash", record.link ? record.link->hash.hex() : "");
  return RenderTemplate("admin_audit_entry", frame.language, view);
}

std::string RenderAdminAuditProof(const PageFrame& frame, const AdminAuditProofPage& page) {
  View view = AdminView(frame, AdminTab::kAudit, "koya audit verify");
  AddAuditEnds(view, page.ends);
  const bool is_damaged = page.damaged_at != 0;
  AddRefusal(view, frame.language, page.problem);
  view.Text("expected", page.expected)
      .Flag("is_whole", page.is_walked && !is_damaged)
      .Flag("is_damaged", page.is_walked && is_damaged)
      .Text("checked", NumberText(page.checked))
      .Text("damage", page.damage);
  return RenderTemplate("admin_audit_proof", frame.language, view);
}

}  // namespace koya::web
