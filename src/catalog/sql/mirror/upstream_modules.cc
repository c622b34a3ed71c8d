#include "catalog/sql/mirror/holdings.h"

#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/mirror/upstream_row.h"
#include "catalog/sql/operate/blob_ledger.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/topic.h"

namespace koya::sql {
namespace {

constexpr Statement kFindModule{"find_upstream_module",
                                "SELECT id FROM upstream_module WHERE module_key = :module_key"};
constexpr Statement kAddUpstreamModule{
    "add_upstream_module",
    "INSERT INTO upstream_module (module_key, host, namespace, name, system) VALUES (:module_key, "
    ":host, :namespace, :name, :system) ON CONFLICT (module_key) DO NOTHING"};
constexpr auto kAddUpstreamVersion =
    Sql("add_upstream_module_version", "INSERT INTO upstream_module_version (module_id, held, ",
        kNames<kUpstreamModuleColumns>, ") VALUES (:module_id, 0, ",
        kValues<kUpstreamModuleColumns>, ") ON CONFLICT (module_id, version) DO NOTHING");
constexpr Statement kHoldVersion{
    "hold_upstream_module_version",
    "UPDATE upstream_module_version SET held = 1, size = :size WHERE version = :version AND "
    "module_id = (SELECT id FROM upstream_module WHERE module_key = :module_key)"};
constexpr auto kFindVersion =
    Sql("find_upstream_module_version", "SELECT ", kSelect<kUpstreamModuleColumns>,
        " FROM upstream_module m JOIN upstream_module_version v ON v.module_id = m.id "
        "LEFT JOIN held_blob h ON h.digest = v.digest AND v.held = 1 "
        "WHERE m.module_key = :module_key AND v.version = :version");
constexpr Statement kListModuleVersions{
    "list_upstream_module_versions",
    "SELECT v.version FROM upstream_module_version v JOIN upstream_module m ON m.id = v.module_id "
    "WHERE m.module_key = :module_key"};

std::optional<std::int64_t> FindModule(Session& session, const UpstreamModule& module) {
  std::int64_t id = 0;
  Query query(session, kFindModule);
  query.Use(module.Key()).Into(id);
  if (!query.Next()) return std::nullopt;
  return id;
}

Result<std::int64_t> MakeModule(Session& session, const UpstreamModule& module) {
  std::optional<std::int64_t> id = FindModule(session, module);
  if (!id) {
    {
      Query query(session, kAddUpstreamModule);  // or another server did, this very moment
      Cell<UpstreamModule>::Use(query.Use(module.Key()), module);
      query.Run();
    }
    id = FindModule(session, module);
  }
  if (id) return *id;
  return Fail(ErrorKind::kInternal, "the module could not be added", "no row for " + module.Key());
}

// Without holding it. Returns whether it was added.
bool InsertVersion(Session& session, std::int64_t module_id, const UpstreamModuleVersion& version) {
  Query query(session, kAddUpstreamVersion);
  return UseRecord(query.Use(module_id), kUpstreamModuleColumns, version).Run() != 0;
}

void HoldVersion(Session& session, const UpstreamModuleVersion& version) {
  HoldBlob(session, version.digest, version.size, version.used_at);
  Query query(session, kHoldVersion);
  query.Use(static_cast<std::int64_t>(version.size)).Use(version.version.ToString());
  query.Use(version.module.Key()).Run();
}

// The stored version, and whether it was newly pinned or newly held.
struct KeptVersion {
  UpstreamModuleVersion version;
  bool pinned = false;
  bool held = false;
};

Result<KeptVersion> KeepVersion(Session& session, const UpstreamModuleVersion& version) {
  RETURN_IF_ERROR(CheckText("the module's source", version.source, kMostSource));
  RETURN_IF_ERROR(CheckHeldSize("the module's archive", version.size, version.held));
  ASSIGN_OR_RETURN(std::int64_t module_id, MakeModule(session, version.module));
  KeptVersion kept{.version = version};
  kept.pinned = InsertVersion(session, module_id, version);
  if (version.held) {
    ASSIGN_OR_RETURN(UpstreamModuleVersion pinned,
                     FindUpstreamModule(session, version.module, version.version));
    if (pinned.digest == version.digest) {
      kept.held = !pinned.held;
      HoldVersion(session, version);
      RETURN_IF_ERROR(RenewBlobs(session, {version.digest}));
    }
  }
  ASSIGN_OR_RETURN(kept.version, FindUpstreamModule(session, version.module, version.version));
  return kept;
}

// A held module is listed even where it cannot be pulled.
void AnnounceModule(Session& session, const KeptVersion& kept) {
  if (kept.pinned || kept.held) AppendChange(session, MirrorTopic(kept.version.module));
}

Result<UpstreamModuleVersion> PinModule(Session& session, const UpstreamModuleVersion& version) {
  ASSIGN_OR_RETURN(KeptVersion kept, KeepVersion(session, version));
  AnnounceModule(session, kept);
  return std::move(kept.version);
}

std::string ModuleImportFacts(const KeptVersion& kept) {
  const std::string digest = kept.version.digest.ToString();
  AuditFacts facts;
  if (kept.pinned) facts.Add("pinned", digest).Add("source", kept.version.source);
  if (kept.held) facts.Add("held", digest);
  return facts.ToJson();
}

Result<UpstreamModuleVersion> ImportModule(Session& session, const Actor& by,
                                           const UpstreamModuleVersion& version) {
  ASSIGN_OR_RETURN(KeptVersion kept, KeepVersion(session, version));
  if (kept.pinned || kept.held) {
    RecordImport(session, by, MirroredTarget(kept.version.module, kept.version.version),
                 ModuleImportFacts(kept));
  }
  AnnounceModule(session, kept);
  return std::move(kept.version);
}

Result<std::vector<Version>> ListUpstreamModuleVersions(Session& session,
                                                        const UpstreamModule& module) {
  Query query(session, kListModuleVersions);
  query.Use(module.Key());
  return ReadUpstreamVersions(query);
}

}  // namespace

Result<UpstreamModuleVersion> FindUpstreamModule(Session& session, const UpstreamModule& module,
                                                 const Version& version) {
  Query query(session, kFindVersion);
  query.Use(module.Key()).Use(version.ToString());
  RecordReader reader(query, kUpstreamModuleColumns);
  if (query.Next()) return reader.Read();
  return NotPinned(module.Key(), version.ToString());
}

}  // namespace koya::sql

namespace koya {

Task<UpstreamModuleVersion> UpstreamModules::PinModule(UpstreamModuleVersion version) {
  Result<UpstreamModuleVersion> kept =
      co_await transactions_.Write(&sql::PinModule, std::move(version));
  if (kept) uses_.DropUse(kept->digest);
  co_return kept;
}

Task<UpstreamModuleVersion> UpstreamModules::ImportModule(Actor by, UpstreamModuleVersion version) {
  Result<UpstreamModuleVersion> kept =
      co_await transactions_.Write(&sql::ImportModule, std::move(by), std::move(version));
  if (kept) uses_.DropUse(kept->digest);
  co_return kept;
}

Task<UpstreamModuleVersion> UpstreamModules::FindUpstreamModule(UpstreamModule module,
                                                                Version version) {
  return transactions_.Read(&sql::FindUpstreamModule, std::move(module), std::move(version));
}

Task<std::vector<Version>> UpstreamModules::ListUpstreamModuleVersions(UpstreamModule module) {
  return transactions_.Read(&sql::ListUpstreamModuleVersions, std::move(module));
}

}  // namespace koya
