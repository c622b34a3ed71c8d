#include "catalog/sql/usage/number_catalog.h"

#include <string>
#include <utility>

#include "catalog/sql/engine/cell.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kListNumbers{
    "list_numbers",
    "SELECT 'module:' || m.address_key AS subject, v.version, v.published_by FROM module m "
    "JOIN module_version v ON v.module_id = m.id WHERE v.withdrawn_at IS NULL AND m.address_key IN "
    "(SELECT element FROM {{elements of}} :modules {{end of elements}}) "
    "UNION ALL SELECT 'provider:' || p.address, r.version, r.published_by FROM provider p "
    "JOIN provider_release r ON r.provider_id = p.id WHERE r.withdrawn_at IS NULL AND p.address IN "
    "(SELECT element FROM {{elements of}} :providers {{end of elements}}) "
    "ORDER BY subject LIMIT :limit"};

Result<std::vector<PublishedNumber>> ListNumbers(Session& session,
                                                 const std::vector<std::string>& modules,
                                                 const std::vector<std::string>& providers) {
  std::vector<PublishedNumber> numbers;
  std::string subject, text, publisher;
  const std::string module_list = JsonList(modules);
  const std::string provider_list = JsonList(providers);
  Query query(session, kListNumbers);
  query.Use(module_list).Use(provider_list);
  query.Use(static_cast<std::int64_t>(NumberCatalog::kMostNumbers) + 1);
  query.Into(subject).Into(text).Into(publisher);
  while (query.Next()) {
    ASSIGN_OR_RETURN(Version version, Stored(Version::Parse(text)));
    numbers.push_back({.subject = subject, .version = std::move(version), .publisher = publisher});
  }
  if (numbers.size() > NumberCatalog::kMostNumbers) {
    const std::string cut = numbers.back().subject;
    std::erase_if(numbers, [&cut](const PublishedNumber& each) { return each.subject == cut; });
  }
  return numbers;
}

}  // namespace

Task<std::vector<PublishedNumber>> SqlNumbers::ListNumbers(std::vector<ModuleAddress> modules,
                                                           std::vector<ProviderAddress> providers) {
  std::vector<std::string> module_keys;
  for (const ModuleAddress& each : modules) module_keys.push_back(each.Key());
  std::vector<std::string> addresses;
  for (const ProviderAddress& each : providers) addresses.push_back(each.ToString());
  return transactions_.Read(&sql::ListNumbers, std::move(module_keys), std::move(addresses));
}

}  // namespace koya::sql
