#include "web/admin/admin_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "web/common/admin_parts.h"
#include "web/common/template_engine.h"
#include "web/common/time_words.h"

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
      .Flag("is_well", troubles.empty() && page.knows_state)
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
  view.Flag("is_well", is_well)
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

}  // namespace koya::web
