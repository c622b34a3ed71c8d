#include "catalog/sql/operate/attachment_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/operate/blob_ledger.h"
#include "domain/audit_facts.h"

namespace koya::sql {
namespace {

constexpr auto kAttachmentColumns = Columns<Attachment>(
    [] { return Attachment{.digest = Blank()}; }, Column<&Attachment::name>("a.name"),
    Column<&Attachment::digest>("a.digest"), Column<&Attachment::size>("a.size"));

// The row of a version, by its address and its number.
#define KOYA_MODULE_VERSION                                                 \
  "(SELECT v.id FROM module_version v JOIN module m ON m.id = v.module_id " \
  "WHERE m.address_key = :address AND v.version = :version)"
#define KOYA_RELEASE                                                              \
  "(SELECT r.id FROM provider_release r JOIN provider p ON p.id = r.provider_id " \
  "WHERE p.address = :address AND r.version = :version)"

// The statements for the versions of modules, and for the releases of providers.
struct AttachmentStatements {
  Statement lock;   // the module or provider, which writers of its versions lock first
  Statement check;  // whether the version is there and not withdrawn
  Statement list;
  Statement add;
};
constexpr auto kListOfModule =
    Sql("list_module_attachments", "SELECT ", kSelect<kAttachmentColumns>,
        " FROM attachment a WHERE a.module_version_id = " KOYA_MODULE_VERSION " ORDER BY a.name");
constexpr auto kListOfRelease =
    Sql("list_release_attachments", "SELECT ", kSelect<kAttachmentColumns>,
        " FROM attachment a WHERE a.release_id = " KOYA_RELEASE " ORDER BY a.name");
constexpr auto kAddToModule =
    Sql("add_module_attachment", "INSERT INTO attachment (module_version_id, ",
        kNames<kAttachmentColumns>, ") VALUES (" KOYA_MODULE_VERSION ", ",
        kValues<kAttachmentColumns>, ")");
constexpr auto kAddToRelease = Sql("add_release_attachment", "INSERT INTO attachment (release_id, ",
                                   kNames<kAttachmentColumns>, ") VALUES (" KOYA_RELEASE ", ",
                                   kValues<kAttachmentColumns>, ")");
constexpr AttachmentStatements kOfModules{
    .lock = {"lock_module_to_attach",
             "SELECT id FROM module WHERE address_key = :address {{for update}}"},
    .check = {"find_module_version_to_attach",
              "SELECT id FROM module_version WHERE id = " KOYA_MODULE_VERSION
              " AND withdrawn_at IS NULL"},
    .list = kListOfModule,
    .add = kAddToModule};
constexpr AttachmentStatements kOfProviders{
    .lock = {"lock_provider_to_attach",
             "SELECT id FROM provider WHERE address = :address {{for update}}"},
    .check = {"find_release_to_attach", "SELECT id FROM provider_release WHERE id = " KOYA_RELEASE
                                        " AND withdrawn_at IS NULL"},
    .list = kListOfRelease,
    .add = kAddToRelease};

const AttachmentStatements& StatementsFor(const SearchSubject& version) {
  return version.kind == SearchKind::kModule ? kOfModules : kOfProviders;
}

// As it stands in the tables: the key without the kind.
std::string_view AddressOf(const SearchSubject& version) {
  return std::string_view(version.key).substr(SearchKindName(version.kind).size() + 1);
}

// Whether the version is there. Keeps other writers from it until the transaction ends.
bool LockVersion(Session& session, const SearchSubject& version) {
  const AttachmentStatements& statements = StatementsFor(version);
  std::int64_t id = 0;
  {
    Query lock(session, statements.lock);
    if (!lock.Use(AddressOf(version)).Into(id).Next()) return false;
  }
  Query check(session, statements.check);
  return check.Use(AddressOf(version)).Use(version.version.ToString()).Into(id).Next();
}

Result<bool> AddAttachment(Session& session, const Actor& by, const SearchSubject& version,
                           const Attachment& attachment, const std::uint64_t& most) {
  const std::string name = fmt::format("{} {}", version.address, version.version.ToString());
  if (!LockVersion(session, version)) {
    return FailNotFound("{} is not published here: publish it first", name);
  }
  ASSIGN_OR_RETURN(std::vector<Attachment> there, ListAttachments(session, version));
  auto same = std::ranges::find(there, attachment.name, &Attachment::name);
  if (same != there.end() && same->digest == attachment.digest) return false;
  if (same != there.end()) {
    return FailConflict(
        "{} has another attachment {} ({}), and attachments never change: use another name", name,
        attachment.name, same->digest.ToString());
  }
  if (there.size() >= most) {
    return FailLimit(ErrorKind::kRefused, "limits.attachments",
                     fmt::format("{} has {} attachments, the most that limits.attachments allows",
                                 name, there.size()));
  }
  Attach(session, by, version, attachment);
  RETURN_IF_ERROR(RenewBlobs(session, {attachment.digest}));
  AppendChange(session, version.key);
  return true;
}

}  // namespace

Result<std::vector<Attachment>> ListAttachments(Session& session, const SearchSubject& version) {
  Query query(session, StatementsFor(version).list);
  query.Use(AddressOf(version)).Use(version.version.ToString());
  return ReadRecords(query, kAttachmentColumns);
}

void Attach(Session& session, const Actor& by, const SearchSubject& version,
            const Attachment& attachment) {
  {
    Query query(session, StatementsFor(version).add);
    query.Use(AddressOf(version)).Use(version.version.ToString());
    UseRecord(query, kAttachmentColumns, attachment).Run();
  }
  const std::string_view kind = SearchKindName(version.kind);
  AuditFacts facts;
  facts.Add("name", attachment.name).Add("digest", attachment.digest.ToString());
  facts.Add("size", static_cast<std::int64_t>(attachment.size));
  RecordChange(
      session, by,
      {.action = kind == "module" ? "module.attach" : "provider.attach",
       .target = fmt::format("{}:{}@{}", kind, version.address, version.version.ToString()),
       .ns = version.ns,
       .after = facts.ToJson()});
}

}  // namespace koya::sql

namespace koya {

Task<bool> AttachmentCatalog::AddAttachment(Actor by, SearchSubject version, Attachment attachment,
                                            std::uint64_t most) {
  return transactions_.Write(&sql::AddAttachment, std::move(by), std::move(version),
                             std::move(attachment), most);
}

Task<std::vector<Attachment>> AttachmentCatalog::ListAttachments(SearchSubject version) {
  return transactions_.Read(&sql::ListAttachments, std::move(version));
}

}  // namespace koya
