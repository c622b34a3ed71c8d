// Shared parts of the suites about what a caller may read. See catalog_suite_base.h.
#pragma once

#include <string>
#include <utility>

#include "catalog/access_catalog.h"
#include "catalog/access_suite_base.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/module_samples_fake.h"
#include "catalog/provider_catalog.h"
#include "domain/module_record.h"
#include "domain/page.h"
#include "domain/provider_record.h"

namespace koya {

class ReadableSuiteBase : public AccessSuiteBase {
 protected:
  // A namespace of each visibility and one without a record, with a module and a provider in each.
  void PublishEverywhere() {
    for (const char* ns : {"Open", "within", "closed", "older"}) Publish(ns);
    this->AddNamespace("open", Visibility::kPublic);
    this->AddNamespace("Within", Visibility::kInternal);
    this->AddNamespace("closed", Visibility::kPrivate);
  }
  void Publish(const std::string& ns) {
    this->ExpectDone(RunTask(modules().AddVersion(Tester(), Record(ns + "/vpc/aws", "1.0.0"))));
    // A module's namespace may hold what a provider's may not.
    if (NormalizeProviderPart("namespace", ns)) PublishProvider(ns);
  }
  void PublishProvider(const std::string& ns) {
    const ProviderRelease release = SampleRelease(ns + "/demo", "1.0.0");
    this->ExpectDone(RunTask(keys().AddKey(Tester(), SampleKey(release.address.ns()))));
    this->ExpectDone(RunTask(providers().AddRelease(Tester(), release, std::nullopt)));
  }

  // The namespaces of the listed modules; "…" when there are more.
  Texts Modules(const ReadableNamespaces& readable, PageRequest page = {0, 100}) {
    return ListModules({.readable = readable}, page);
  }
  Texts ListModules(const ModuleFilter& filter, PageRequest page = {0, 100}) {
    return Names(RunTask(modules().ListModules(filter, page)),
                 [](const ModuleSummary& item) { return item.address.ns(); });
  }
  Texts Providers(const ReadableNamespaces& readable, PageRequest page = {0, 100}) {
    return ListProviders({.readable = readable}, page);
  }
  Texts ListProviders(const ProviderFilter& filter, PageRequest page = {0, 100}) {
    return Names(RunTask(providers().ListProviders(filter, page)),
                 [](const ProviderSummary& item) { return item.address.ns(); });
  }
  Texts Namespaces(const ReadableNamespaces& readable, const std::string& after = "",
                   std::uint64_t limit = 100) {
    return Names(RunTask(namespaces().ListNamespaces(readable, after, limit)),
                 [](const NamespaceRecord& item) { return item.name; });
  }

 private:
  template <class T, class NameOf>
  static Texts Names(const Result<Page<T>>& page, NameOf name_of) {
    Texts names;
    ExpectDone(page);
    if (!page) return names;
    for (const T& item : page->items) names.push_back(name_of(item));
    if (page->more) names.emplace_back("…");
    return names;
  }
};

}  // namespace koya
