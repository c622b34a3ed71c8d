#include "service/common/version_before.h"

#include <utility>

#include "catalog/access_catalog.h"
#include "domain/namespace_record.h"

namespace koya::service {

Task<SemverRule> FindSemverRule(NamespaceCatalog& catalog, std::string ns, SemverRule otherwise) {
  Result<NamespaceRecord> record = co_await catalog.FindNamespace(std::move(ns));
  if (record) co_return record->semver.value_or(otherwise);
  if (record.error().kind == ErrorKind::kNotFound) co_return otherwise;  // it is about to be made
  co_return Failure(std::move(record).error());
}

}  // namespace koya::service
