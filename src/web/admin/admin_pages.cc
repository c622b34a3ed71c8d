#include "web/admin/admin_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "markup/fragment.h"
#include "web/common/admin_parts.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

using Trouble = AdminOverviewPage::Trouble;

View TroubleView(const Trouble& trouble) {
  View view;
  view.Text("trouble_name", trouble.name)
      .Text("trouble_text", trouble.text)
      .Flag("is_state", trouble.kind == Trouble::Kind::kState)
      .Flag("is_upstream", trouble.kind == Trouble::Kind::kUpstream)
      .Flag("is_job", trouble.kind == Trouble::Kind::kJob)
      .Flag("is_replica", trouble.kind == Trouble::Kind::kReplica)
      .Flag("is_versions", trouble.kind == Trouble::Kind::kVersions)
      .Flag("is_objects", trouble.kind == Trouble::Kind::kObjects);
  return view;
}

// "3 ms", "12.4 s", "1 h 07 min": as a log says it, in any language.
std::string TookText(std::chrono::milliseconds took) {
  const auto ms = std::max<std::int64_t>(took.count(), 0);
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (ms < 60'000) return fmt::format("{}.{} s", ms / 1000, ms % 1000 / 100);
  const std::int64_t minutes = ms / 60'000;
  if (minutes < 60) return fmt::format("{} min {:02} s", minutes, ms / 1000 % 60);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

View JobView(const PageFrame& frame, const ShownJob& job, UnixSeconds now) {
  View view;
  view.Text("job_name", job.job)
      .Flag("job_has_ended", job.ended_at != 0)
      .Text("job_ended_ago", AgoText(frame.language, job.ended_at, now))
      .Text("job_took", job.took ? TookText(*job.took) : "")
      .Text("job_waiting", job.waiting ? NumberText(*job.waiting) : "")
      .Flag("job_failed", job.failed)
      .Text("job_told", job.told)
      .Text("job_runs", NumberText(job.runs))
      .Text("job_failures", NumberText(job.failures))
      .Text("job_last_failure", job.failed_at == 0 || job.failed ? "" : job.last_failure);
  AddMoment(view, "job_ended", frame.language, job.ended_at);
  AddMoment(view, "job_failed_at", frame.language, job.failed_at);
  return view;
}

std::optional<View> MaybeJob(const PageFrame& frame, const std::optional<ShownJob>& job,
                             UnixSeconds now) {
  if (!job) return std::nullopt;
  return JobView(frame, *job, now);
}

View SumView(const StoredSum& sum) {
  return View().Text("sum_count", NumberText(sum.count)).Text("sum_size", SizeText(sum.bytes));
}

bool HasObjects(const StorageSums::Objects& objects) {
  return objects.arriving.count + objects.stored.count + objects.lost.count +
             objects.leaving.count !=
         0;
}

View ServerView(const PageFrame& frame, const AdminHealthPage::Server& server, UnixSeconds now) {
  std::vector<View> leases;
  for (const std::string& lease : server.leases) leases.push_back(View().Text("lease", lease));
  View view;
  view.Text("server_address", server.address)
      .Text("server_version", server.version)
      .Text("seen_ago", AgoText(frame.language, server.seen_at, now))
      .Text("feed_age", fmt::format("{} ms", server.feed_age.count()))
      .Text("clock_ahead", fmt::format("{} ms", server.clock_ahead.count()))
      .Flag("has_leases", !leases.empty())
      .List("leases", std::move(leases));
  AddMoment(view, "started", frame.language, server.started_at);
  AddMoment(view, "seen", frame.language, server.seen_at);
  return view;
}

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

std::string RenderAdminOverview(const PageFrame& frame, const AdminOverviewPage& page) {
  std::vector<View> troubles;
  for (const Trouble& each : page.troubles) troubles.push_back(TroubleView(each));
  View view = AdminView(frame, AdminTab::kOverview, "");
  view.Text("user_count", NumberText(page.users))
      .Text("disabled_count", page.disabled == 0 ? "" : NumberText(page.disabled))
      .Text("administrator_count", NumberText(page.administrators))
      .Text("service_count", NumberText(page.services))
      .Text("group_count", NumberText(page.groups))
      .Text("stored_size", SizeText(page.published_bytes + page.mirrored_bytes))
      .Text("mirrored_size", SizeText(page.mirrored_bytes))
      .Text("trouble_count", NumberText(troubles.size()))
      .Flag("has_troubles", !troubles.empty())
      .Flag("all_well", troubles.empty() && page.knows_state)
      .Flag("is_unknown", troubles.empty() && !page.knows_state)
      .Text("mirror_path", "/-/mirror")
      .List("troubles", std::move(troubles));
  return RenderTemplate("admin", frame.language, view);
}

std::string RenderAdminStorage(const PageFrame& frame, const AdminStoragePage& page) {
  const StorageSums::Objects& objects = page.sums.objects;
  const bool has_leaving = objects.oldest_leaving_at != 0;
  View view = AdminView(frame, AdminTab::kStorage, "koya verify");
  const StorageSums& sums = page.sums;
  view.Text("all_size",
            SizeText(sums.modules.bytes + sums.provider_packages.bytes + sums.provider_docs.bytes +
                     sums.mirrored.bytes + sums.drafts.bytes))
      .Maybe("sum_modules", SumView(sums.modules))
      .Maybe("sum_packages", SumView(sums.provider_packages))
      .Maybe("sum_docs", SumView(sums.provider_docs))
      .Maybe("sum_mirrored", SumView(sums.mirrored))
      .Maybe("sum_drafts", SumView(sums.drafts))
      .Flag("has_objects", HasObjects(objects))
      .Maybe("sum_stored", SumView(objects.stored))
      .Maybe("sum_arriving", SumView(objects.arriving))
      .Maybe("sum_leaving", SumView(objects.leaving))
      .Maybe("sum_lost", SumView(objects.lost))
      .Text("lost_count", objects.lost.count == 0 ? "" : NumberText(objects.lost.count))
      .Flag("has_leaving", has_leaving)
      .Text("leaving_ago",
            has_leaving ? AgoText(frame.language, objects.oldest_leaving_at, page.now) : "")
      .Maybe("collection", MaybeJob(frame, page.collection, page.now))
      .Flag("has_collection", page.collection.has_value())
      .Maybe("bound", MaybeJob(frame, page.bound, page.now))
      .Maybe("sweep", MaybeJob(frame, page.sweep, page.now))
      .Maybe("scrub", MaybeJob(frame, page.scrub, page.now));
  AddMoment(view, "leaving", frame.language, objects.oldest_leaving_at);
  return RenderTemplate("admin_storage", frame.language, view);
}

std::string RenderAdminHealth(const PageFrame& frame, const AdminHealthPage& page) {
  std::vector<View> reasons, servers, jobs, numbers;
  for (const std::string& each : page.reasons) reasons.push_back(View().Text("reason", each));
  for (const auto& each : page.servers) servers.push_back(ServerView(frame, each, page.now));
  for (const ShownJob& each : page.jobs) jobs.push_back(JobView(frame, each, page.now));
  for (const auto& each : page.numbers) {
    numbers.push_back(View().Text("number_name", each.name).Text("number_value", each.value));
  }
  const bool is_well = page.knows_state && page.is_ready && reasons.empty();
  View view = AdminView(frame, AdminTab::kHealth, "koya admin replicas");
  view.Flag("all_well", is_well)
      .Flag("is_degraded", page.knows_state && page.is_ready && !is_well)
      .Flag("is_not_ready", page.knows_state && !page.is_ready)
      .Flag("is_unknown", !page.knows_state)
      .List("reasons", std::move(reasons))
      .Flag("has_servers", !servers.empty())
      .List("servers", std::move(servers))
      .Flag("has_jobs", !jobs.empty())
      .List("jobs", std::move(jobs))
      .Flag("has_numbers", !numbers.empty())
      .List("numbers", std::move(numbers));
  AddMoment(view, "made", frame.language, page.now);
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
