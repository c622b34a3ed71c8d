// For tests: a catalog by its parts. A test includes the headers of those parts that it uses, and
// is compiled again when one of them changes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>

#include "base/temp_folder_fake.h"

namespace koya {

class AccountCatalog;
class AttachmentCatalog;
class AuditCatalog;
class BlobLedger;
class BlobReferences;
class Catalog;
class CatalogLoad;
class ChangeLog;
class ContentsCatalog;
class DatabaseTime;
class DraftCatalog;
class IdentityCatalog;
class InstallationCatalog;
class KeyCatalog;
class LeaseCatalog;
class LoginCodeCatalog;
class MailCatalog;
class MirrorCountCatalog;
class ModuleCatalog;
class NamespaceCatalog;
class NumberCatalog;
class PasswordCatalog;
class PolicyCatalog;
class ProviderCatalog;
class ProviderDocsCatalog;
class RecordCatalog;
class ReplicaCatalog;
class SearchIndex;
class SentBytesCatalog;
class SessionCatalog;
class SetupCatalog;
class StorageCatalog;
class TokenCatalog;
class TrustCatalog;
class UpstreamCatalog;
class UpstreamDocuments;
class UpstreamHoldings;
class UpstreamListings;
class UpstreamModules;
class UpstreamReleases;
class UsageCatalog;
class WatchCatalog;

// Converts to each part, and to the whole. Does not own the catalog.
class CatalogParts {
  using Parts = std::tuple<
      AccountCatalog*, AttachmentCatalog*, AuditCatalog*, BlobLedger*, BlobReferences*, Catalog*,
      CatalogLoad*, ChangeLog*, ContentsCatalog*, DatabaseTime*, DraftCatalog*, IdentityCatalog*,
      InstallationCatalog*, KeyCatalog*, LeaseCatalog*, LoginCodeCatalog*, MirrorCountCatalog*,
      ModuleCatalog*, NamespaceCatalog*, NumberCatalog*, PasswordCatalog*, PolicyCatalog*,
      ProviderCatalog*, ProviderDocsCatalog*, RecordCatalog*, ReplicaCatalog*, SearchIndex*,
      SentBytesCatalog*, SessionCatalog*, SetupCatalog*, StorageCatalog*, TokenCatalog*,
      TrustCatalog*, UpstreamCatalog*, UpstreamDocuments*, UpstreamHoldings*, UpstreamListings*,
      UpstreamModules*, UpstreamReleases*, UsageCatalog*, WatchCatalog*, MailCatalog*>;

  template <class Part, class... All>
  static constexpr bool IsOneOf(std::type_identity<std::tuple<All...>>) {
    return (std::is_same_v<Part*, All> || ...);
  }

 public:
  CatalogParts() = default;  // to be assigned another before use
  explicit CatalogParts(Catalog& catalog);

  AccountCatalog& accounts() const { return As<AccountCatalog>(); }
  AttachmentCatalog& attachments() const { return As<AttachmentCatalog>(); }
  AuditCatalog& audit() const { return As<AuditCatalog>(); }
  BlobLedger& blob_ledger() const { return As<BlobLedger>(); }
  BlobReferences& blob_references() const { return As<BlobReferences>(); }
  CatalogLoad& load() const { return As<CatalogLoad>(); }
  ChangeLog& changes() const { return As<ChangeLog>(); }
  ContentsCatalog& contents() const { return As<ContentsCatalog>(); }
  DatabaseTime& database_time() const { return As<DatabaseTime>(); }
  DraftCatalog& drafts() const { return As<DraftCatalog>(); }
  IdentityCatalog& identities() const { return As<IdentityCatalog>(); }
  InstallationCatalog& installation() const { return As<InstallationCatalog>(); }
  KeyCatalog& keys() const { return As<KeyCatalog>(); }
  LeaseCatalog& leases() const { return As<LeaseCatalog>(); }
  LoginCodeCatalog& login_codes() const { return As<LoginCodeCatalog>(); }
  MailCatalog& mail() const { return As<MailCatalog>(); }
  MirrorCountCatalog& mirror_counts() const { return As<MirrorCountCatalog>(); }
  ModuleCatalog& modules() const { return As<ModuleCatalog>(); }
  NamespaceCatalog& namespaces() const { return As<NamespaceCatalog>(); }
  NumberCatalog& numbers() const { return As<NumberCatalog>(); }
  PolicyCatalog& policy() const { return As<PolicyCatalog>(); }
  PasswordCatalog& passwords() const { return As<PasswordCatalog>(); }
  ProviderCatalog& providers() const { return As<ProviderCatalog>(); }
  ProviderDocsCatalog& provider_docs() const { return As<ProviderDocsCatalog>(); }
  RecordCatalog& records() const { return As<RecordCatalog>(); }
  ReplicaCatalog& replicas() const { return As<ReplicaCatalog>(); }
  SearchIndex& search_index() const { return As<SearchIndex>(); }
  SentBytesCatalog& sent_bytes() const { return As<SentBytesCatalog>(); }
  SessionCatalog& sessions() const { return As<SessionCatalog>(); }
  SetupCatalog& setup() const { return As<SetupCatalog>(); }
  StorageCatalog& storage() const { return As<StorageCatalog>(); }
  TokenCatalog& tokens() const { return As<TokenCatalog>(); }
  TrustCatalog& trust() const { return As<TrustCatalog>(); }
  UpstreamDocuments& upstream_documents() const { return As<UpstreamDocuments>(); }
  UpstreamHoldings& upstream_holdings() const { return As<UpstreamHoldings>(); }
  UpstreamListings& upstream_listings() const { return As<UpstreamListings>(); }
  UpstreamModules& upstream_modules() const { return As<UpstreamModules>(); }
  UpstreamReleases& upstream_releases() const { return As<UpstreamReleases>(); }
  UsageCatalog& usage() const { return As<UsageCatalog>(); }
  WatchCatalog& watches() const { return As<WatchCatalog>(); }

  template <class Part>
    requires(IsOneOf<Part>(std::type_identity<Parts>()))
  operator Part&() const {
    return As<Part>();
  }

 private:
  template <class Part>
  Part& As() const {
    return *std::get<Part*>(parts_);
  }

  Parts parts_;
};

// The URL of the SQLite catalog at `path`, an empty one when there was no file: a copy of one that
// is migrated once in each test program.
std::string MigratedSqlite(const std::filesystem::path& path);

// An empty catalog in a SQLite file of its own. It has time, however slow the machine.
struct TemporaryCatalog {
  TemporaryCatalog();
  TempFolder folder;
  std::shared_ptr<Catalog> catalog;
};

// The same by its parts.
class TestCatalog : private TemporaryCatalog, public CatalogParts {
 public:
  TestCatalog() : CatalogParts(*catalog) {}
  std::filesystem::path file() const { return folder / "koya.db"; }
  TestCatalog(const TestCatalog&) = delete;
  TestCatalog& operator=(const TestCatalog&) = delete;
};

}  // namespace koya
