#include "domain/usage_record.h"

#include <chrono>

#include "domain/namespace_record.h"
#include "domain/upstream_record.h"

namespace koya {

UsageDay MonthOf(UsageDay day) {
  const std::chrono::sys_days date{std::chrono::days(day)};
  const std::chrono::year_month_day in(date);
  return std::chrono::sys_days(in.year() / in.month() / 1).time_since_epoch().count();
}

UsageItem UsageItem::OfAll(const ModuleAddress& address) {
  return {UsageKind::kModule, address.Key(), "", NamespaceKey(address.ns())};
}

UsageItem UsageItem::OfAll(const ProviderAddress& address) {
  return {UsageKind::kProvider, address.ToString(), "", NamespaceKey(address.ns())};
}

UsageItem UsageItem::OfAll(const UpstreamModule& module) {
  return {UsageKind::kMirroredModule, module.Key(), "", ""};
}

UsageItem UsageItem::OfAll(const UpstreamProvider& provider) {
  return {UsageKind::kMirroredProvider, provider.Key(), "", ""};
}

UsageItem UsageItem::Of(const ModuleAddress& address, const Version& version) {
  UsageItem item = OfAll(address);
  item.version = version.ToString();
  return item;
}

UsageItem UsageItem::Of(const ProviderAddress& address, const Version& version) {
  UsageItem item = OfAll(address);
  item.version = version.ToString();
  return item;
}

UsageItem UsageItem::Of(const UpstreamModule& module, const Version& version) {
  UsageItem item = OfAll(module);
  item.version = version.ToString();
  return item;
}

UsageItem UsageItem::Of(const UpstreamProvider& provider, const Version& version) {
  UsageItem item = OfAll(provider);
  item.version = version.ToString();
  return item;
}

}  // namespace koya
