#include "catalog/sql/sql_catalog.h"

#include "catalog/sql/blob_references.h"
#include "catalog/sql/change_log.h"
#include "catalog/sql/module_catalog.h"
#include "catalog/sql/token_catalog.h"

namespace koya::sql {
namespace {

constexpr std::chrono::seconds kLongestWait{1};

}  // namespace

Task<AddOutcome> SqlCatalog::AddVersion(ModuleVersionRecord record) {
  auto work = [&record](Session& session) { return sql::AddVersion(session, record); };
  Result<AddOutcome> outcome = co_await parts_.database->Write(std::move(work));
  if (outcome && outcome->what == AddOutcome::What::kAdded) parts_.signal->Notify();
  co_return outcome;
}

Task<std::vector<ModuleVersionRecord>> SqlCatalog::ListVersions(ModuleAddress address) {
  auto work = [&address](Session& session) { return sql::ListVersions(session, address); };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<ModuleVersionRecord> SqlCatalog::FindVersion(ModuleAddress address, Version version) {
  auto work = [&address, &version](Session& session) {
    return sql::FindVersion(session, address, version);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<AddOutcome> SqlCatalog::CheckVersion(ModuleAddress address, Version version,
                                          std::optional<Digest> upload) {
  auto work = [&address, &version, &upload](Session& session) {
    return sql::CheckVersion(session, address, version, upload);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<Page<ModuleSummary>> SqlCatalog::ListModules(ModuleFilter filter, PageRequest page) {
  auto work = [&filter, page](Session& session) { return sql::ListModules(session, filter, page); };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<void> SqlCatalog::Withdraw(ModuleAddress address, Version version, Withdrawal withdrawal) {
  auto work = [&address, &version, &withdrawal](Session& session) {
    return sql::Withdraw(session, address, version, withdrawal);
  };
  Status status = co_await parts_.database->Write(std::move(work));
  if (status) parts_.signal->Notify();
  co_return status;
}

Task<std::vector<Digest>> SqlCatalog::FindUnreferenced(std::vector<Digest> digests) {
  auto work = [&digests](Session& session) { return sql::FindUnreferenced(session, digests); };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<void> SqlCatalog::AddToken(TokenRecord record) {
  auto work = [&record](Session& session) { return sql::AddToken(session, record); };
  Status status = co_await parts_.database->Write(std::move(work));
  if (status) parts_.signal->Notify();
  co_return status;
}

Task<TokenRecord> SqlCatalog::FindToken(Digest secret) {
  auto work = [&secret](Session& session) { return sql::FindToken(session, secret); };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<std::vector<TokenRecord>> SqlCatalog::ListTokens() {
  auto work = [](Session& session) { return sql::ListTokens(session); };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<void> SqlCatalog::RevokeToken(std::string name) {
  auto work = [&name](Session& session) { return sql::RevokeToken(session, name); };
  Status status = co_await parts_.database->Write(std::move(work));
  if (status) parts_.signal->Notify();
  co_return status;
}

Task<void> SqlCatalog::TouchToken(Digest secret, UnixSeconds at) {
  if (token_uses_.WasNoted(secret, at)) co_return Status();
  auto work = [&secret, at](Session& session) { return sql::TouchToken(session, secret, at); };
  Status status = co_await parts_.database->Write(std::move(work));
  if (status) token_uses_.Note(secret, at);
  co_return status;
}

Task<std::int64_t> SqlCatalog::LatestChange() {
  auto work = [](Session& session) -> Result<std::int64_t> { return sql::LatestChange(session); };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<std::vector<Change>> SqlCatalog::ChangesSince(std::int64_t sequence) {
  auto work = [sequence](Session& session) -> Result<std::vector<Change>> {
    return sql::ChangesSince(session, sequence);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<void> SqlCatalog::WaitForChange() {
  co_await parts_.signal->Wait(kLongestWait);
  co_return Status();
}

}  // namespace koya::sql
