#include "catalog/sql/providers/provider_catalog.h"

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/transaction.h"
#include "catalog/sql/operate/blob_ledger.h"
#include "domain/provider_address.h"
#include "domain/provider_record.h"
#include "domain/use.h"
#include "domain/version.h"

namespace koya::sql {
namespace {

constexpr auto kDraftColumns = Columns<DraftRecord>(
    [] { return DraftRecord{.address = Blank(), .version = Blank()}; },
    Column<&DraftRecord::id>("d.id"), Column<&DraftRecord::address>("d.namespace", "d.type"),
    Column<&DraftRecord::version>("d.version"), Column<&DraftRecord::created_at>("d.created_at"),
    Column<&DraftRecord::created_by>("d.created_by"),
    Column<&DraftRecord::expires_at>("d.expires_at"), Column<&DraftRecord::upload>("d.upload"));
// A draft without files has NULLs of one.
constexpr auto kFileColumns =
    Columns<DraftFile>([] { return DraftFile{.digest = Blank()}; },
                       Column<&DraftFile::name>("name").As("COALESCE(f.name, '')"),
                       Column<&DraftFile::digest>("digest").As("COALESCE(f.digest, '')"),
                       Column<&DraftFile::size>("size").As("COALESCE(f.size, 0)"),
                       Column<&DraftFile::h1>("h1").As("COALESCE(f.h1, '')"),
                       Column<&DraftFile::problems>("problems").As("COALESCE(f.problems, '')"));

constexpr Statement kCountOpen{
    "count_open_drafts",
    "SELECT COUNT(*) FROM draft WHERE namespace = :namespace AND expires_at > :now"};
constexpr auto kAddDraft = Sql("add_draft", "INSERT INTO draft (", kNames<kDraftColumns>,
                               ") VALUES (", kValues<kDraftColumns>, ") ON CONFLICT DO NOTHING");
// One statement, so that a draft is read with the files of one moment.
constexpr auto kFindDraft =
    Sql("find_draft", "SELECT f.draft_id, ", kSelect<kDraftColumns>, ", ", kSelect<kFileColumns>,
        " FROM draft d LEFT JOIN draft_file f ON f.draft_id = d.id "
        "WHERE d.id = :id AND d.expires_at > :now ORDER BY f.name");
constexpr auto kListDrafts = Sql(
    "list_drafts", "SELECT ", kSelect<kDraftColumns>,
    " FROM draft d WHERE d.namespace = :namespace AND d.type = :type AND d.version = :version AND "
    "d.expires_at > :now ORDER BY d.created_at DESC, d.id");
constexpr Statement kRenewDraft{"renew_draft",
                                "UPDATE draft SET expires_at = :expires_at WHERE id = :id"};
constexpr Statement kCountOthers{
    "count_other_files", "SELECT COUNT(*) FROM draft_file WHERE draft_id = :id AND name <> :name"};
constexpr auto kPutFile = Sql(
    "put_draft_file", "INSERT INTO draft_file (draft_id, ", kNames<kFileColumns>,
    ") VALUES (:draft_id, ", kValues<kFileColumns>,
    ") ON CONFLICT (draft_id, name) DO UPDATE SET digest = excluded.digest, size = excluded.size, "
    "h1 = excluded.h1, problems = excluded.problems");
constexpr Statement kLockDraft{"lock_draft", "SELECT id FROM draft WHERE id = :id {{for update}}"};
// Its files go with it (ON DELETE CASCADE).
constexpr Statement kRemoveDraft{"remove_draft", "DELETE FROM draft WHERE id = :id"};
constexpr auto kListFiles =
    Sql("list_draft_files", "SELECT ", kSelect<kDraftColumns>, ", ", kSelect<kFileColumns>,
        " FROM draft_file f JOIN draft d ON d.id = f.draft_id WHERE f.digest > :after "
        "ORDER BY f.digest, f.draft_id, f.name LIMIT :limit");
// A draft that an upload is renewing at this moment is left to the next time; and two servers that
// clear up together do not wait for each other.
constexpr Statement kRemoveExpired{
    "remove_expired_drafts",
    "DELETE FROM draft WHERE id IN (SELECT id FROM draft WHERE expires_at <= :now "
    "{{for update skip locked}})"};

Failure NoDraft(std::string_view id) {
  return FailNotFound(
      "there is no open draft \"{}\": it was published, abandoned or has "
      "expired; open a new one",
      Printable(id));
}

Status AddDraft(Session& session, const DraftRecord& draft, std::uint64_t most_open) {
  RETURN_IF_ERROR(CheckStorable("the draft's ID", draft.id));
  RETURN_IF_ERROR(CheckStorable("the publisher's name", draft.created_by));
  RETURN_IF_ERROR(CheckStorable("the upload's name", draft.upload));
  const std::string& ns = draft.address.ns();
  LockNamespace(session, ns);
  std::int64_t open = 0;
  {
    Query query(session, kCountOpen);
    query.Use(ns).Use(draft.created_at).Into(open).Next();
  }
  if (static_cast<std::uint64_t>(open) >= most_open) {
    return FailConflict(
        "the namespace {} already has {} open drafts, the limit: publish or "
        "abandon one, or wait until one expires",
        ns, open);
  }
  Query query(session, kAddDraft);
  if (UseRecord(query, kDraftColumns, draft).Run() != 0) return {};
  return FailConflict("there is already a draft with this ID: open it again");
}

Status PutDraftFile(Session& session, const std::string& id, const DraftFile& file,
                    UnixSeconds expires_at, std::uint64_t most_files) {
  RETURN_IF_ERROR(CheckStorable("the file's name", file.name));
  if (!IsStorable(id)) return NoDraft(id);
  {
    // Locks the draft's row too: see the header.
    Query query(session, kRenewDraft);
    if (query.Use(expires_at).Use(id).Run() == 0) return NoDraft(id);
  }
  std::int64_t others = 0;
  {
    Query query(session, kCountOthers);
    query.Use(id).Use(file.name).Into(others).Next();
  }
  if (static_cast<std::uint64_t>(others) >= most_files) {
    return FailLimit(
        ErrorKind::kTooLarge, "fixed.draft_files",
        fmt::format("the draft already has {} files, the limit of a release: \"{}\" was not added",
                    others, Printable(file.name)));
  }
  Query query(session, kPutFile);
  UseRecord(query.Use(id), kFileColumns, file).Run();
  return RenewBlobs(session, {file.digest});
}

Status RemoveDraft(Session& session, const std::string& id) {
  if (!IsStorable(id)) return NoDraft(id);
  Query query(session, kRemoveDraft);
  if (query.Use(id).Run() == 0) return NoDraft(id);
  return {};
}

Result<std::uint64_t> RemoveExpiredDrafts(Session& session, UnixSeconds now) {
  Query query(session, kRemoveExpired);
  return static_cast<std::uint64_t>(query.Use(now).Run());
}

Result<DraftRecord> FindDraft(Session& session, const std::string& id, UnixSeconds now) {
  if (!IsStorable(id)) return NoDraft(id);
  std::optional<std::string> file_of;
  std::optional<DraftRecord> draft;
  Query query(session, kFindDraft);
  query.Use(id).Use(now).Into(file_of);
  RecordReader reader(query, kDraftColumns);
  RecordReader file_reader(query, kFileColumns);
  while (query.Next()) {
    if (!draft) {
      ASSIGN_OR_RETURN(draft, reader.Read());
    }
    if (!file_of) break;
    ASSIGN_OR_RETURN(DraftFile file, file_reader.Read());
    draft->files.push_back(std::move(file));
  }
  if (!draft) return NoDraft(id);
  return *std::move(draft);
}

Result<std::vector<DraftRecord>> ListDrafts(Session& session, const ProviderAddress& address,
                                            const Version& version, UnixSeconds now) {
  Query query(session, kListDrafts);
  query.Use(address.ns()).Use(address.type()).Use(version.ToString()).Use(now);
  return ReadRecords(query, kDraftColumns);
}

Result<std::vector<DraftRecord>> ListDraftFiles(Session& session,
                                                const std::optional<Digest>& after,
                                                std::uint64_t limit) {
  std::vector<DraftRecord> drafts;
  Query query(session, kListFiles);
  query.Use(after ? after->hex() : std::string()).Use(static_cast<std::int64_t>(limit));
  RecordReader reader(query, kDraftColumns);
  RecordReader file_reader(query, kFileColumns);
  while (query.Next()) {
    ASSIGN_OR_RETURN(DraftRecord draft, reader.Read());
    ASSIGN_OR_RETURN(DraftFile file, file_reader.Read());
    draft.files.push_back(std::move(file));
    drafts.push_back(std::move(draft));
  }
  return drafts;
}

}  // namespace

Status TakeDraft(Session& session, const DraftRecord& draft) {
  if (!IsStorable(draft.id)) return NoDraft(draft.id);
  {
    std::string id;
    Query query(session, kLockDraft);
    if (!query.Use(draft.id).Into(id).Next()) return NoDraft(draft.id);
  }
  // Also when it has just expired: it was found before.
  ASSIGN_OR_RETURN(DraftRecord found, FindDraft(session, draft.id, 0));
  if (found.files != draft.files) {
    return FailConflict(
        "the draft \"{}\" got other files while it was being published: nothing "
        "was published; publish it again",
        Printable(draft.id));
  }
  return RemoveDraft(session, draft.id);
}

}  // namespace koya::sql

namespace koya {

Task<void> DraftCatalog::AddDraft(DraftRecord draft, std::uint64_t most_open) {
  return transactions_.Write(&sql::AddDraft, std::move(draft), most_open);
}

Task<DraftRecord> DraftCatalog::FindDraft(std::string id, UnixSeconds now) {
  return transactions_.Read(&sql::FindDraft, std::move(id), now);
}

Task<std::vector<DraftRecord>> DraftCatalog::ListDrafts(ProviderAddress address, Version version,
                                                        UnixSeconds now) {
  return transactions_.Read(&sql::ListDrafts, std::move(address), std::move(version), now);
}

Task<std::vector<DraftRecord>> DraftCatalog::ListDraftFiles(std::optional<Digest> after,
                                                            std::uint64_t limit) {
  return transactions_.Read(&sql::ListDraftFiles, after, limit);
}

Task<void> DraftCatalog::PutDraftFile(std::string id, DraftFile file, UnixSeconds expires_at,
                                      std::uint64_t most_files) {
  return transactions_.Write(&sql::PutDraftFile, std::move(id), std::move(file), expires_at,
                             most_files);
}

Task<void> DraftCatalog::RemoveDraft(std::string id) {
  return transactions_.Write(&sql::RemoveDraft, std::move(id));
}

Task<std::uint64_t> DraftCatalog::RemoveExpiredDrafts(UnixSeconds now) {
  return transactions_.Write(&sql::RemoveExpiredDrafts, now);
}

}  // namespace koya
