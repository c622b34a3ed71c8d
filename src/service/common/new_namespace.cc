#include "service/common/new_namespace.h"

#include <utility>

#include "catalog/access_catalog.h"
#include "catalog/catalog.h"
#include "domain/audit_record.h"
#include "domain/module_record.h"
#include "domain/name_rules.h"
#include "domain/namespace_record.h"
#include "domain/page.h"
#include "domain/provider_record.h"
#include "domain/signing_key_record.h"

namespace koya::service {
namespace {

// A module or a provider with a version, or a key, removed ones too.
Task<bool> HoldsSomething(Catalog& catalog, std::string ns) {
  ASSIGN_OR_CO_RETURN(std::vector<SigningKeyRecord> keys, co_await catalog.ListKeys(ns));
  if (!keys.empty()) co_return true;
  ProviderFilter providers_of;
  providers_of.ns = ns;
  ASSIGN_OR_CO_RETURN(Page<ProviderSummary> providers,
                      co_await catalog.ListProviders(std::move(providers_of), {.limit = 1}));
  if (!providers.items.empty()) co_return true;
  ModuleFilter modules_of;
  modules_of.ns = std::move(ns);
  ASSIGN_OR_CO_RETURN(Page<ModuleSummary> modules,
                      co_await catalog.ListModules(std::move(modules_of), {.limit = 1}));
  co_return !modules.items.empty();
}

}  // namespace

Task<void> CheckNamespace(Catalog& catalog, std::string ns) {
  if (!IsReservedNamespace(ns)) co_return Status();
  ASSIGN_OR_CO_RETURN(bool old, co_await HoldsSomething(catalog, ns));
  if (old) co_return Status();
  co_return FailInvalid(
      "the namespace \"{}\" is reserved: this server's own addresses use "
      "the word; choose another namespace",
      ns);
}

Task<void> RecordNamespace(NamespaceCatalog& catalog, Actor by, NamespaceRecord record) {
  Result<NamespaceRecord> known = co_await catalog.FindNamespace(record.name);
  if (known) co_return Status();
  if (known.error().kind != ErrorKind::kNotFound) {
    co_return std::unexpected(std::move(known).error());
  }
  Result<bool> added = co_await catalog.AddNamespace(std::move(by), std::move(record));
  if (!added) co_return std::unexpected(std::move(added).error());
  co_return Status();
}

}  // namespace koya::service
