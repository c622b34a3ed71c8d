#include "service/common/version_rules.h"

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

Failure WithdrawnConflict(std::string_view name, std::string_view reason) {
  return FailConflict(
      "{} was withdrawn ({}): a withdrawn version is never reused; publish a "
      "higher one",
      name, reason);
}

Failure OtherBuildConflict(std::string_view name, std::string_view existing_version) {
  return FailConflict(
      "{} cannot be published beside {}: they differ only in build metadata "
      "(after \"+\"), which clients ignore; publish a higher version",
      name, existing_version);
}

Failure OtherContentConflict(std::string_view name, std::string_view existing) {
  return FailConflict(
      "{} is already published with other content ({}): a version never "
      "changes; publish a higher one",
      name, existing);
}

}  // namespace koya::service
