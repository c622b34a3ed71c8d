#include "catalog/sql/operate/verify_runs.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/use.h"
#include "domain/verify_run.h"

namespace koya::sql {
namespace {

constexpr Statement kAddVerifyRun{
    "add_verify_run",
    "INSERT INTO verify_run (id, begun_by, began_at, told_at, quick, mirrored_only, partial, "
    "checked, wrong, repaired, found, ended, failure) VALUES (:id, :by, {{now}}, {{now}}, :quick, "
    ":mirrored_only, :partial, :checked, :wrong, :repaired, :found, :ended, :failure) "
    "ON CONFLICT (id) DO NOTHING"};
constexpr Statement kForgetVerifyRuns{
    "forget_verify_runs",
    "DELETE FROM verify_run WHERE id NOT IN (SELECT id FROM verify_run "
    "ORDER BY began_at DESC, id DESC LIMIT :most)"};
constexpr Statement kReportVerifyRun{
    "tell_verify_run",
    "UPDATE verify_run SET told_at = {{now}}, quick = :quick, mirrored_only = :mirrored_only, "
    "partial = :partial, checked = :checked, wrong = :wrong, repaired = :repaired, found = :found, "
    "ended = :ended, failure = :failure WHERE id = :id AND ended = 0"};
constexpr Statement kListVerifyRuns{
    "list_verify_runs",
    "SELECT id, begun_by, began_at, told_at, quick, mirrored_only, partial, checked, wrong, "
    "repaired, found, ended, failure FROM verify_run ORDER BY began_at DESC, id DESC"};

constexpr std::size_t kPartsOfFound = 3;

std::string JoinFound(const std::vector<VerifyWrong>& found) {
  std::vector<std::string> parts;
  parts.reserve(found.size() * kPartsOfFound);
  for (const VerifyWrong& each : found) {
    parts.push_back(each.name);
    parts.push_back(each.state);
    parts.emplace_back(each.repaired ? "repaired" : "");
  }
  return JoinList(parts);
}

Result<std::vector<VerifyWrong>> SplitFound(const std::string& text) {
  ASSIGN_OR_RETURN(std::vector<std::string> parts, SplitList(text));
  if (parts.size() % kPartsOfFound != 0) {
    return Fail(ErrorKind::kCorrupt, "the record of a run of koya verify is invalid");
  }
  std::vector<VerifyWrong> found;
  for (std::size_t i = 0; i < parts.size(); i += kPartsOfFound) {
    found.push_back({std::move(parts[i]), std::move(parts[i + 1]), !parts[i + 2].empty()});
  }
  return found;
}

Status CheckProgress(const VerifyProgress& progress) {
  RETURN_IF_ERROR(CheckStorable("why the run stopped", progress.failure));
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (progress.checked <= kMost && progress.wrong <= kMost && progress.repaired <= kMost) return {};
  return Fail(ErrorKind::kInvalid, "a run of koya verify cannot have checked so much");
}

// Beginning with `quick`, in the order of both statements.
void UseProgress(Query& query, const VerifyProgress& progress) {
  for (const bool flag : {progress.quick, progress.mirrored_only, progress.partial}) {
    query.Use(std::int64_t{flag});
  }
  for (const std::uint64_t number : {progress.checked, progress.wrong, progress.repaired}) {
    query.Use(static_cast<std::int64_t>(number));
  }
  query.Use(JoinFound(progress.found)).Use(std::int64_t{progress.ended}).Use(progress.failure);
}

Status AddVerifyRun(Session& session, const VerifyRun& run) {
  RETURN_IF_ERROR(CheckStorable("the run's ID", run.id));
  RETURN_IF_ERROR(CheckStorable("the run's starter", run.by));
  RETURN_IF_ERROR(CheckProgress(run.progress));
  Query add(session, kAddVerifyRun);
  add.Use(run.id).Use(run.by);
  UseProgress(add, run.progress);
  if (add.Run() == 0) return Fail(ErrorKind::kConflict, "there is already a run with this ID");
  Query(session, kForgetVerifyRuns).Use(std::int64_t{VerifyRunCatalog::kMostRuns}).Run();
  return {};
}

Status ReportVerifyRun(Session& session, const std::string& id, const VerifyProgress& progress) {
  RETURN_IF_ERROR(CheckProgress(progress));
  Query tell(session, kReportVerifyRun);
  UseProgress(tell, progress);
  tell.Use(id);
  if (IsStorable(id) && tell.Run() != 0) return {};
  return Fail(ErrorKind::kNotFound,
              "this run of koya verify no longer exists, or has ended: start another");
}

// A row as it is read.
struct VerifyRunRow {
  VerifyRun run;
  std::int64_t quick = 0, mirrored_only = 0, partial = 0, ended = 0;
  std::int64_t checked = 0, wrong = 0, repaired = 0;
  std::string found;

  void Bind(Query& query) {
    query.Into(run.id).Into(run.by).Into(run.began_at).Into(run.told_at);
    query.Into(quick).Into(mirrored_only).Into(partial);
    query.Into(checked).Into(wrong).Into(repaired);
    query.Into(found).Into(ended).Into(run.progress.failure);
  }
  Result<VerifyRun> ToRun() const {
    VerifyRun out = run;
    VerifyProgress& progress = out.progress;
    progress.quick = quick != 0;
    progress.mirrored_only = mirrored_only != 0;
    progress.partial = partial != 0;
    progress.ended = ended != 0;
    progress.checked = static_cast<std::uint64_t>(checked);
    progress.wrong = static_cast<std::uint64_t>(wrong);
    progress.repaired = static_cast<std::uint64_t>(repaired);
    ASSIGN_OR_RETURN(progress.found, SplitFound(found));
    return out;
  }
};

Result<std::vector<VerifyRun>> ListVerifyRuns(Session& session) {
  std::vector<VerifyRun> runs;
  VerifyRunRow row;
  Query query(session, kListVerifyRuns);
  row.Bind(query);
  while (query.Next()) {
    ASSIGN_OR_RETURN(VerifyRun run, row.ToRun());
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace

Task<void> SqlVerifyRuns::AddVerifyRun(VerifyRun run) {
  return transactions_.Write(&sql::AddVerifyRun, std::move(run));
}

Task<void> SqlVerifyRuns::ReportVerifyRun(std::string id, VerifyProgress progress) {
  return transactions_.Write(&sql::ReportVerifyRun, std::move(id), std::move(progress));
}

Task<std::vector<VerifyRun>> SqlVerifyRuns::ListVerifyRuns() {
  return transactions_.Read(&sql::ListVerifyRuns);
}

}  // namespace koya::sql
