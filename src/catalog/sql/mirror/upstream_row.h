// The columns of the mirror's tables, readers of their rows, and limits of their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/sql/engine/columns.h"
#include "domain/upstream_record.h"

namespace koya::sql {

// Limits how much data of other registries is stored. Their clients limit what they read; these are
// the last limits before the database.
inline constexpr std::size_t kMostDocumentKey = 1024;
inline constexpr std::size_t kMostDocument = std::size_t{32} << 20;
inline constexpr std::size_t kMostValidator = 1024;
// Above it, times of versions that left their list are dropped.
inline constexpr std::size_t kMostReleaseTimes = std::size_t{1} << 20;
inline constexpr std::size_t kMostKeys = std::size_t{1} << 20;
inline constexpr std::size_t kMostFilename = 255;
inline constexpr std::size_t kMostList = std::size_t{64} << 10;
inline constexpr std::size_t kMostSource = 8192;
// The most releases or archives in one listing.
inline constexpr std::uint64_t kMostListed = 1000;
// Keeps sums of sizes far below the database's number limits.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;

// `what` names it ("the keys"). Fails: kInvalid when `text` is not storable (text_column.h);
// kTooLarge when it has more than `most` bytes.
Status CheckText(std::string_view what, std::string_view text, std::size_t most);
// Fails: kTooLarge above kMostBytes; kInvalid when bytes are held and their size is unknown.
Status CheckHeldSize(std::string_view what, std::uint64_t size, bool held);
// A validator is optional: one that cannot be stored becomes "".
std::string_view KeptValidator(std::string_view text);

template <>
struct Cell<UpstreamProvider>
    : MembersCell<UpstreamProvider, &UpstreamProvider::host, &UpstreamProvider::address> {};
template <>
struct Cell<UpstreamModule>
    : MembersCell<UpstreamModule, &UpstreamModule::host, &UpstreamModule::address> {};
template <>
struct Cell<Attachment>
    : MembersCell<Attachment, &Attachment::name, &Attachment::digest, &Attachment::size> {};
template <>
struct Cell<std::optional<ReleaseDocument>> {
  static constexpr std::array kTypes{ColumnType::kNullableText, ColumnType::kNullableNumber};
  static Status Read(StoredRow& row, std::optional<ReleaseDocument>& value);
  static void Use(Query& query, const std::optional<ReleaseDocument>& value);
};

// The failure of a request about another registry's provider or module that was never seen.
Failure NotPinned(std::string_view key, std::string_view what);

// The tables' aliases are p (upstream_provider), r (upstream_release), k (upstream_package) and
// h (held_blob, of held packages only).
inline constexpr auto kUpstreamReleaseColumns = Columns<UpstreamRelease>(
    [] { return UpstreamRelease{.provider = {Blank(), Blank()}, .version = Blank()}; },
    ReadColumn<&UpstreamRelease::provider>("p.host", "p.namespace", "p.type"),
    Column<&UpstreamRelease::version>("r.version"),
    Column<&UpstreamRelease::protocols>("r.protocols"),
    Column<&UpstreamRelease::sums>("r.sums_digest", "r.sums_size"),
    Column<&UpstreamRelease::signature>("r.signature_digest", "r.signature_size"),
    Column<&UpstreamRelease::fit_for_origin>("r.fit_for_origin"),
    Column<&UpstreamRelease::seen_at>("r.seen_at"), Column<&UpstreamRelease::signer>("r.signer"));
inline constexpr auto kUpstreamPackageColumns = Columns<UpstreamPackage>(
    [] { return UpstreamPackage{.platform = Blank(), .digest = Blank()}; },
    Column<&UpstreamPackage::platform>("k.os", "k.arch"),
    Column<&UpstreamPackage::filename>("k.filename"), Column<&UpstreamPackage::digest>("k.digest"),
    Column<&UpstreamPackage::size>("k.size"), Column<&UpstreamPackage::hashes>("k.hashes"),
    Column<&UpstreamPackage::held>("k.held"),
    ReadColumn<&UpstreamPackage::used_at>("used_at").As("COALESCE(h.used_at, 0)"));

inline constexpr auto kUpstreamAttachmentColumns = Columns<UpstreamAttachment>(
    [] { return UpstreamAttachment{.file = {.digest = Blank()}, .platform = Blank()}; },
    Column<&UpstreamAttachment::file>("a.name", "a.digest", "a.size"),
    Column<&UpstreamAttachment::platform>("a.os", "a.arch"));

// Whether the row r has a signature, and keys with which it was verified: those of a release
// without keys are {"gpg_public_keys":[]} (wire::EncodeSigningKeys).
#define KOYA_IS_SIGNED "r.signature_size > 0 AND r.keys <> '{\"gpg_public_keys\":[]}'"

// A package with its release: a release has as many rows as packages. The keys appear in one row of
// a release: with each package they would be most of the data.
inline constexpr auto kSelectUpstreamReleases =
    Join("SELECT r.id, ",
         "CASE WHEN k.id = (SELECT MIN(f.id) FROM upstream_package f WHERE f.release_id = r.id) "
         "THEN r.keys ELSE '' END, ",
         kSelect<kUpstreamReleaseColumns>, ", ", kSelect<kUpstreamPackageColumns>);

// Reads the rows of a query of kSelectUpstreamReleases whose values are all used: whole releases,
// in the order of their first rows. Fails: kCorrupt.
Result<std::vector<UpstreamRelease>> ReadUpstreamReleases(Query& query);

// Likewise for rows of a version each. Newest first. Fails: kCorrupt.
Result<std::vector<Version>> ReadUpstreamVersions(Query& query);

// The tables' aliases are m (upstream_module), v (upstream_module_version) and h (held_blob).
inline constexpr auto kUpstreamModuleColumns = Columns<UpstreamModuleVersion>(
    [] {
      return UpstreamModuleVersion{
          .module = {Blank(), Blank()}, .version = Blank(), .digest = Blank()};
    },
    ReadColumn<&UpstreamModuleVersion::module>("m.host", "m.namespace", "m.name", "m.system"),
    Column<&UpstreamModuleVersion::version>("v.version"),
    Column<&UpstreamModuleVersion::kind>("v.archive_kind"),
    Column<&UpstreamModuleVersion::digest>("v.digest"),
    Column<&UpstreamModuleVersion::size>("v.size"),
    Column<&UpstreamModuleVersion::source>("v.source"),
    ReadColumn<&UpstreamModuleVersion::held>("v.held"),
    Column<&UpstreamModuleVersion::seen_at>("v.seen_at"),
    ReadColumn<&UpstreamModuleVersion::used_at>("used_at").As("COALESCE(h.used_at, 0)"));

}  // namespace koya::sql
