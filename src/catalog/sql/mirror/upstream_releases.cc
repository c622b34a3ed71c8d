#include "catalog/sql/mirror/holdings.h"

#include <algorithm>
#include <utility>

#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/mirror/upstream_row.h"
#include "catalog/sql/operate/blob_ledger.h"
#include "domain/actor.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/topic.h"

namespace koya::sql {
namespace {

constexpr Statement kFindProvider{
    "find_upstream_provider",
    "SELECT id FROM upstream_provider WHERE provider_key = :provider_key"};
constexpr Statement kAddUpstreamProvider{
    "add_upstream_provider",
    "INSERT INTO upstream_provider (provider_key, host, namespace, type) VALUES (:provider_key, "
    ":host, :namespace, :type) ON CONFLICT (provider_key) DO NOTHING"};
// Of two servers that pin a release at once the second waits here for the first.
constexpr auto kAddUpstreamRelease =
    Sql("add_upstream_release", "INSERT INTO upstream_release (provider_id, keys, ",
        kNames<kUpstreamReleaseColumns>, ") VALUES (:provider_id, :keys, ",
        kValues<kUpstreamReleaseColumns>,
        ") ON CONFLICT (provider_id, version) DO NOTHING RETURNING id");
constexpr Statement kLockRelease{
    "lock_upstream_release",
    "SELECT id FROM upstream_release WHERE provider_id = :provider_id AND version = :version "
    "{{for update}}"};
constexpr Statement kAddDocuments{
    "add_upstream_documents",
    "UPDATE upstream_release SET protocols = :protocols, sums_digest = :sums_digest, "
    "sums_size = :sums_size, signature_digest = :signature_digest, "
    "signature_size = :signature_size, keys = :keys, fit_for_origin = :fit_for_origin, "
    "signer = :signer "
    "WHERE id = :id AND sums_digest IS NULL"};
constexpr Statement kRecordSigner{
    "record_signer",
    "UPDATE upstream_release SET signer = :signer WHERE version = :version AND signer = '' AND "
    "provider_id = (SELECT id FROM upstream_provider WHERE provider_key = :provider_key)"};
constexpr auto kAddUpstreamPackage =
    Sql("add_upstream_package", "INSERT INTO upstream_package (release_id, ",
        kNames<kUpstreamPackageColumns>, ") VALUES (:release_id, ",
        kValues<kUpstreamPackageColumns>, ") ON CONFLICT (release_id, os, arch) DO NOTHING");
constexpr Statement kFindPackage{
    "find_upstream_package",
    "SELECT k.id, k.digest, k.size, k.hashes, k.held FROM upstream_package k "
    "JOIN upstream_release r ON r.id = k.release_id "
    "JOIN upstream_provider p ON p.id = r.provider_id "
    "WHERE p.provider_key = :provider_key AND r.version = :version AND k.os = :os AND "
    "k.arch = :arch"};
constexpr Statement kHoldPackage{
    "hold_upstream_package",
    "UPDATE upstream_package SET held = 1, size = :size, hashes = :hashes WHERE id = :id"};
constexpr auto kListAttachments =
    Sql("list_upstream_attachments", "SELECT ", kSelect<kUpstreamAttachmentColumns>,
        " FROM upstream_provider p JOIN upstream_release r ON r.provider_id = p.id "
        "JOIN upstream_attachment a ON a.release_id = r.id "
        "WHERE p.provider_key = :provider_key AND r.version = :version ORDER BY a.name");
constexpr auto kAddAttachment =
    Sql("add_upstream_attachment", "INSERT INTO upstream_attachment (release_id, ",
        kNames<kUpstreamAttachmentColumns>, ") VALUES (:release_id, ",
        kValues<kUpstreamAttachmentColumns>, ") ON CONFLICT (release_id, name) DO NOTHING");
constexpr Statement kMarkAttachmentChanged{
    "mark_upstream_attachment_changed",
    "UPDATE upstream_attachment SET changed_at = {{now}} WHERE release_id = :release_id AND "
    "name = :name AND changed_at = 0"};
constexpr auto kFindRelease =
    Sql("find_upstream_release", kSelectUpstreamReleases,
        " FROM upstream_provider p JOIN upstream_release r ON r.provider_id = p.id "
        "JOIN upstream_package k ON k.release_id = r.id "
        "LEFT JOIN held_blob h ON h.digest = k.digest AND k.held = 1 "
        "WHERE p.provider_key = :provider_key AND r.version = :version ORDER BY k.os, k.arch");

// ---- what may be kept ----

Status CheckPackage(const UpstreamPackage& package, bool held) {
  RETURN_IF_ERROR(CheckText("the package's file name", package.filename, kMostFilename));
  RETURN_IF_ERROR(
      CheckText("the list of the package's hashes", JoinList(package.hashes), kMostList));
  return CheckHeldSize("the package for " + package.platform.ToString(), package.size, held);
}

Status CheckDocumentSize(std::string_view what, const std::optional<ReleaseDocument>& document) {
  if (!document) return {};
  return CheckHeldSize(what, document->size, false);
}

// The packages by platform. Fails: kInvalid, kTooLarge.
Result<std::vector<UpstreamPackage>> CheckedPackages(const UpstreamRelease& release) {
  std::vector<UpstreamPackage> packages = release.packages;
  std::ranges::sort(packages, {}, &UpstreamPackage::platform);
  if (packages.empty()) {
    return FailInvalid("{} {} has no package for any platform: there is nothing to store",
                       release.provider.Key(), release.version.ToString());
  }
  auto twice = std::ranges::adjacent_find(packages, {}, &UpstreamPackage::platform);
  if (twice != packages.end()) {
    return FailInvalid("{} {} has two packages for {}: leave one of them out",
                       release.provider.Key(), release.version.ToString(),
                       twice->platform.ToString());
  }
  for (const UpstreamPackage& package : packages) {
    RETURN_IF_ERROR(CheckPackage(package, package.held));
  }
  return packages;
}

Status CheckUpstreamRelease(const UpstreamRelease& release) {
  RETURN_IF_ERROR(CheckText("the keys' document", release.keys, kMostKeys));
  RETURN_IF_ERROR(CheckText("the signer's fingerprint", release.signer, kMostFilename));
  RETURN_IF_ERROR(CheckText("the list of protocols", JoinList(release.protocols), kMostList));
  RETURN_IF_ERROR(CheckDocumentSize("SHA256SUMS", release.sums));
  return CheckDocumentSize("the signature of SHA256SUMS", release.signature);
}

// ---- what pinning does ----

std::optional<std::int64_t> FindProvider(Session& session, const UpstreamProvider& provider) {
  std::int64_t id = 0;
  Query query(session, kFindProvider);
  query.Use(provider.Key()).Into(id);
  if (!query.Next()) return std::nullopt;
  return id;
}

Result<std::int64_t> MakeProvider(Session& session, const UpstreamProvider& provider) {
  std::optional<std::int64_t> id = FindProvider(session, provider);
  if (!id) {
    {
      Query query(session, kAddUpstreamProvider);  // or another server did, this very moment
      Cell<UpstreamProvider>::Use(query.Use(provider.Key()), provider);
      query.Run();
    }
    id = FindProvider(session, provider);
  }
  if (id) return *id;
  return Fail(ErrorKind::kInternal, "the provider could not be added",
              "no row for " + provider.Key());
}

// Nothing when it is there already.
std::optional<std::int64_t> InsertRelease(Session& session, std::int64_t provider_id,
                                          const UpstreamRelease& release) {
  std::int64_t id = 0;
  Query query(session, kAddUpstreamRelease);
  query.Use(provider_id).Use(release.keys);
  UseRecord(query, kUpstreamReleaseColumns, release).Into(id);
  if (!query.Next()) return std::nullopt;
  return id;
}

std::int64_t LockRelease(Session& session, std::int64_t provider_id, const Version& version) {
  std::int64_t id = 0;
  Query query(session, kLockRelease);
  query.Use(provider_id).Use(version.ToString()).Into(id).Next();
  return id;
}

// Adds the packages of platforms that the release lacks. Returns those. The caller notes that
// their blobs are held.
std::vector<UpstreamPackage> AddPackages(Session& session, std::int64_t release_id,
                                         const std::vector<UpstreamPackage>& packages) {
  std::vector<UpstreamPackage> added;
  for (const UpstreamPackage& package : packages) {
    Query query(session, kAddUpstreamPackage);
    UseRecord(query.Use(release_id), kUpstreamPackageColumns, package);
    if (query.Run() != 0) added.push_back(package);
  }
  return added;
}

// Those that are marked as held, in the order in which blobs are locked.
std::vector<UpstreamPackage> ListHeld(std::vector<UpstreamPackage> packages) {
  std::erase_if(packages, [](const UpstreamPackage& package) { return !package.held; });
  std::ranges::sort(packages, {}, &UpstreamPackage::digest);
  return packages;
}

// Whether the author's documents describe exactly the stored packages of the release.
Result<bool> Describes(Session& session, const UpstreamRelease& release,
                       const std::vector<UpstreamPackage>& packages) {
  ASSIGN_OR_RETURN(UpstreamRelease kept,
                   FindUpstreamRelease(session, release.provider, release.version));
  auto same = [](const UpstreamPackage& a, const UpstreamPackage& b) {
    return a.platform == b.platform && a.digest == b.digest;
  };
  return !kept.sums && std::ranges::equal(kept.packages, packages, same);
}

// Gives a release that was pinned without them its author's documents. Returns whether it did.
Result<bool> AddDocuments(Session& session, std::int64_t release_id, const UpstreamRelease& release,
                          const std::vector<UpstreamPackage>& packages) {
  if (!release.sums) return false;
  ASSIGN_OR_RETURN(bool fits, Describes(session, release, packages));
  if (!fits) return false;
  Query query(session, kAddDocuments);
  query.Use(JoinList(release.protocols));
  Cell<std::optional<ReleaseDocument>>::Use(query, release.sums);
  Cell<std::optional<ReleaseDocument>>::Use(query, release.signature);
  query.Use(release.keys).Use(std::int64_t{release.fit_for_origin}).Use(release.signer);
  query.Use(release_id);
  return query.Run() != 0;
}

// ---- what holding does ----

struct PackageRow {
  std::int64_t id = 0;
  std::string digest, hashes;
  std::int64_t size = 0, held = 0;
};

std::optional<PackageRow> FindPackage(Session& session, const UpstreamProvider& provider,
                                      const Version& version, const Platform& platform) {
  PackageRow row;
  Query query(session, kFindPackage);
  query.Use(provider.Key()).Use(version.ToString()).Use(platform.os()).Use(platform.arch());
  query.Into(row.id).Into(row.digest).Into(row.size).Into(row.hashes).Into(row.held);
  if (!query.Next()) return std::nullopt;
  return row;
}

Failure OtherBytes(const UpstreamProvider& provider, const Version& version,
                   const UpstreamPackage& package, const std::string& pinned) {
  return FailConflict(
      "{} {} for {} has other bytes (sha256:{}) than those seen first "
      "(sha256:{}), which stay: ask its author why it changed",
      provider.Key(), version.ToString(), package.platform.ToString(), package.digest.hex(),
      pinned);
}

// Returns whether anything about it is another.
Result<bool> MarkHeld(Session& session, const UpstreamProvider& provider, const Version& version,
                      const UpstreamPackage& package) {
  RETURN_IF_ERROR(CheckPackage(package, false));
  std::optional<PackageRow> row = FindPackage(session, provider, version, package.platform);
  if (!row) {
    return NotPinned(provider.Key(), version.ToString() + " for " + package.platform.ToString());
  }
  if (row->digest != package.digest.hex()) {
    return OtherBytes(provider, version, package, row->digest);
  }
  const std::uint64_t size =
      package.size > 0 ? package.size : static_cast<std::uint64_t>(row->size);
  RETURN_IF_ERROR(CheckHeldSize("the package", size, true));
  const bool unsaid = package.hashes.empty() && row->held != 0;
  const std::string hashes = unsaid ? row->hashes : JoinList(package.hashes);
  // A held package is listed even where it cannot be pulled.
  const bool changed =
      row->held == 0 || hashes != row->hashes || std::cmp_not_equal(size, row->size);
  HoldBlob(session, package.digest, size, package.used_at);
  {
    Query query(session, kHoldPackage);
    query.Use(static_cast<std::int64_t>(size)).Use(hashes).Use(row->id).Run();
  }
  return changed;
}

Status HoldPackage(Session& session, const UpstreamProvider& provider, const Version& version,
                   const UpstreamPackage& package) {
  ASSIGN_OR_RETURN(bool changed, MarkHeld(session, provider, version, package));
  RETURN_IF_ERROR(RenewBlobs(session, {package.digest}));
  if (changed) AppendChange(session, MirrorTopic(provider));
  return {};
}

// ---- attachments ----

Status ReadAttachments(Session& session, UpstreamRelease& release) {
  Query query(session, kListAttachments);
  query.Use(release.provider.Key()).Use(release.version.ToString());
  ASSIGN_OR_RETURN(release.attachments, ReadRecords(query, kUpstreamAttachmentColumns));
  return {};
}

std::int64_t IdOf(Session& session, const UpstreamProvider& provider, const Version& version) {
  const std::optional<std::int64_t> provider_id = FindProvider(session, provider);
  return provider_id ? LockRelease(session, *provider_id, version) : 0;
}

// Whether the attachments of `seen` are those of the stored release: it has the same packages.
bool HasPackagesOf(const UpstreamRelease& stored, const UpstreamRelease& seen) {
  return std::ranges::all_of(stored.packages, [&seen](const UpstreamPackage& package) {
    return std::ranges::any_of(seen.packages, [&package](const UpstreamPackage& each) {
      return each.platform == package.platform && each.digest == package.digest;
    });
  });
}

// Records, once, that the description that named an attachment first now has other bytes under its
// name. Another platform's may always have had others.
void RecordChangedAttachment(Session& session, std::int64_t release_id,
                             const UpstreamRelease& release, const UpstreamAttachment& stored,
                             const UpstreamAttachment& seen) {
  if (stored.platform != seen.platform) return;
  {
    Query query(session, kMarkAttachmentChanged);
    if (query.Use(release_id).Use(stored.file.name).Run() == 0) return;
  }
  AuditFacts before, after;
  before.Add("attachment", stored.file.name).Add("digest", stored.file.digest.ToString());
  after.Add("attachment", seen.file.name).Add("digest", seen.file.digest.ToString());
  RecordChange(session, Actor::Server(),
               {.action = "policy.changed",
                .target = MirroredTarget(release.provider, release.version),
                .before = before.ToJson(),
                .after = after.ToJson()});
}

// Adds those under new names to the stored release, also to the value. Returns their blobs.
std::vector<Digest> AddAttachments(Session& session, std::int64_t release_id,
                                   UpstreamRelease& stored,
                                   const std::vector<UpstreamAttachment>& seen) {
  std::vector<Digest> added;
  for (const UpstreamAttachment& each : seen) {
    auto name_of = [](const UpstreamAttachment& one) { return one.file.name; };
    auto same = std::ranges::find(stored.attachments, each.file.name, name_of);
    if (same != stored.attachments.end()) {
      if (same->file.digest == each.file.digest) continue;
      RecordChangedAttachment(session, release_id, stored, *same, each);
      continue;
    }
    Query query(session, kAddAttachment);
    UseRecord(query.Use(release_id), kUpstreamAttachmentColumns, each).Run();
    stored.attachments.push_back(each);
    added.push_back(each.file.digest);
  }
  std::ranges::sort(stored.attachments, {}, [](const auto& each) { return each.file.name; });
  return added;
}

Result<UpstreamRelease> PinAttachments(Session& session, const UpstreamRelease& seen) {
  const std::int64_t id = IdOf(session, seen.provider, seen.version);
  ASSIGN_OR_RETURN(UpstreamRelease stored,
                   FindUpstreamRelease(session, seen.provider, seen.version));
  if (!HasPackagesOf(stored, seen)) return stored;
  const std::vector<Digest> added = AddAttachments(session, id, stored, seen.attachments);
  RETURN_IF_ERROR(RenewBlobs(session, added));
  if (!added.empty()) AppendChange(session, MirrorTopic(seen.provider));
  return stored;
}

Status RecordSigner(Session& session, const UpstreamProvider& provider, const Version& version,
                    const std::string& signer) {
  RETURN_IF_ERROR(CheckText("the signer's fingerprint", signer, kMostFilename));
  Query query(session, kRecordSigner);
  query.Use(signer).Use(version.ToString()).Use(provider.Key());
  if (query.Run() != 0) AppendChange(session, MirrorTopic(provider));
  return {};
}

// ---- both ----

// Additions to a stored release.
struct Additions {
  std::vector<UpstreamPackage> pinned;  // of platforms that were lacking
  std::vector<UpstreamPackage> held;    // of an import: whose bytes were not held before
  bool documents = false;

  bool any() const { return documents || !pinned.empty() || !held.empty(); }
};

Result<Additions> AddToRelease(Session& session, const UpstreamRelease& release,
                               bool add_platforms) {
  RETURN_IF_ERROR(CheckUpstreamRelease(release));
  ASSIGN_OR_RETURN(std::vector<UpstreamPackage> packages, CheckedPackages(release));
  ASSIGN_OR_RETURN(std::int64_t provider_id, MakeProvider(session, release.provider));
  Additions added;
  if (std::optional<std::int64_t> id = InsertRelease(session, provider_id, release)) {
    added.pinned = AddPackages(session, *id, packages);
    added.documents = release.sums.has_value();
  } else if (add_platforms) {
    std::int64_t there = LockRelease(session, provider_id, release.version);
    added.pinned = AddPackages(session, there, packages);
    ASSIGN_OR_RETURN(added.documents, AddDocuments(session, there, release, packages));
  }
  return added;
}

// What a release's new part refers to: the author's documents, and the bytes that are held.
std::vector<Digest> NewBlobsOf(const UpstreamRelease& release, const Additions& added,
                               const std::vector<UpstreamPackage>& held) {
  std::vector<Digest> digests;
  if (added.documents) {
    if (release.sums) digests.push_back(release.sums->digest);
    if (release.signature) digests.push_back(release.signature->digest);
  }
  for (const UpstreamPackage& package : held) digests.push_back(package.digest);
  return digests;
}

Result<UpstreamRelease> PinRelease(Session& session, const UpstreamRelease& release,
                                   bool add_platforms) {
  ASSIGN_OR_RETURN(Additions added, AddToRelease(session, release, add_platforms));
  const std::vector<UpstreamPackage> held = ListHeld(added.pinned);
  for (const UpstreamPackage& package : held) {
    HoldBlob(session, package.digest, package.size, package.used_at);
  }
  std::vector<Digest> blobs = NewBlobsOf(release, added, held);
  ASSIGN_OR_RETURN(UpstreamRelease kept,
                   FindUpstreamRelease(session, release.provider, release.version));
  bool is_changed = added.any();
  if (!release.attachments.empty() && HasPackagesOf(kept, release)) {
    const std::int64_t id = IdOf(session, release.provider, release.version);
    for (const Digest& each : AddAttachments(session, id, kept, release.attachments)) {
      blobs.push_back(each);
      is_changed = true;
    }
  }
  RETURN_IF_ERROR(RenewBlobs(session, blobs));
  if (is_changed) AppendChange(session, MirrorTopic(release.provider));
  return kept;
}

// Of the packages that were brought, those whose bytes are to be held: they are new, or pinned with
// these bytes and were not held until now.
std::vector<UpstreamPackage> ListToHold(const UpstreamRelease& brought, const UpstreamRelease& kept,
                                        const Additions& added) {
  std::vector<UpstreamPackage> wanted = ListHeld(brought.packages);
  std::erase_if(wanted, [&kept, &added](const UpstreamPackage& package) {
    auto is_its = [&package](const UpstreamPackage& each) {
      return each.platform == package.platform && each.digest == package.digest;
    };
    if (std::ranges::any_of(added.pinned, is_its)) return false;
    auto pinned = std::ranges::find_if(kept.packages, is_its);
    return pinned == kept.packages.end() || pinned->held;
  });
  return wanted;
}

std::string ReleaseImportFacts(const UpstreamRelease& release, Additions added) {
  auto list = [](std::vector<UpstreamPackage>& packages) {
    std::ranges::sort(packages, {}, &UpstreamPackage::platform);
    std::vector<std::string> texts;
    for (const UpstreamPackage& each : packages) {
      texts.push_back(MirroredBytes(each.platform.ToString(), each.digest));
    }
    return texts;
  };
  AuditFacts facts;
  if (added.documents) {
    facts.Add("sums", release.sums->digest.ToString());
    facts.Add("fit_for_origin", release.fit_for_origin ? "yes" : "no");
  }
  if (!added.pinned.empty()) facts.Add("pinned", list(added.pinned));
  if (!added.held.empty()) facts.Add("held", list(added.held));
  return facts.ToJson();
}

Result<UpstreamRelease> ImportRelease(Session& session, const Actor& by,
                                      const UpstreamRelease& release) {
  const UpstreamProvider& provider = release.provider;
  const Version& version = release.version;
  ASSIGN_OR_RETURN(Additions added, AddToRelease(session, release, true));
  ASSIGN_OR_RETURN(UpstreamRelease pinned, FindUpstreamRelease(session, provider, version));
  added.held = ListToHold(release, pinned, added);
  for (const UpstreamPackage& package : added.held) {
    RETURN_IF_ERROR(MarkHeld(session, provider, version, package));
  }
  RETURN_IF_ERROR(RenewBlobs(session, NewBlobsOf(release, added, added.held)));
  ASSIGN_OR_RETURN(UpstreamRelease kept, FindUpstreamRelease(session, provider, version));
  if (!added.any()) return kept;
  RecordImport(session, by, MirroredTarget(provider, version),
               ReleaseImportFacts(release, std::move(added)));
  AppendChange(session, MirrorTopic(provider));
  return kept;
}

}  // namespace

Result<UpstreamRelease> FindUpstreamRelease(Session& session, const UpstreamProvider& provider,
                                            const Version& version) {
  Query query(session, kFindRelease);
  query.Use(provider.Key()).Use(version.ToString());
  ASSIGN_OR_RETURN(std::vector<UpstreamRelease> found, ReadUpstreamReleases(query));
  if (found.empty()) return NotPinned(provider.Key(), version.ToString());
  RETURN_IF_ERROR(ReadAttachments(session, found.front()));
  return std::move(found.front());
}

}  // namespace koya::sql

namespace koya {

Task<UpstreamRelease> UpstreamReleases::PinRelease(UpstreamRelease release, bool add_platforms) {
  Result<UpstreamRelease> kept =
      co_await transactions_.Write(&sql::PinRelease, std::move(release), add_platforms);
  ForgetUsesOf(kept);
  co_return kept;
}

Task<UpstreamRelease> UpstreamReleases::ImportRelease(Actor by, UpstreamRelease release) {
  Result<UpstreamRelease> kept =
      co_await transactions_.Write(&sql::ImportRelease, std::move(by), std::move(release));
  ForgetUsesOf(kept);
  co_return kept;
}

Task<UpstreamRelease> UpstreamReleases::PinAttachments(UpstreamRelease seen) {
  return transactions_.Write(&sql::PinAttachments, std::move(seen));
}

Task<void> UpstreamReleases::RecordSigner(UpstreamProvider provider, Version version,
                                          std::string signer) {
  return transactions_.Write(&sql::RecordSigner, std::move(provider), std::move(version),
                             std::move(signer));
}

void UpstreamReleases::ForgetUsesOf(const Result<UpstreamRelease>& kept) {
  if (!kept) return;
  for (const UpstreamPackage& package : kept->packages) {
    if (package.held) uses_.DropUse(package.digest);
  }
}

Task<UpstreamRelease> UpstreamReleases::FindUpstreamRelease(UpstreamProvider provider,
                                                            Version version) {
  return transactions_.Read(&sql::FindUpstreamRelease, std::move(provider), std::move(version));
}

Task<void> UpstreamReleases::HoldPackage(UpstreamProvider provider, Version version,
                                         UpstreamPackage package) {
  const Digest digest = package.digest;
  Status held = co_await transactions_.Write(&sql::HoldPackage, std::move(provider),
                                             std::move(version), std::move(package));
  if (held) uses_.DropUse(digest);
  co_return held;
}

}  // namespace koya
