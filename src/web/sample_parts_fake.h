// For tests: the parts of sample_pages_fake.h, each with its pages in every state that their
// structs can have.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "web/providers/provider_history_pages.h"
#include "web/providers/provider_pages.h"
#include "web/sample_pages_fake.h"

namespace koya::web {

// Gives each text as it is, or another in its place.
using FillText = std::function<std::string(std::string)>;

// A head and an overview as people will see them.
ProviderHead SampleProviderHead(const FillText& texts);
ProviderPage SampleProviderPage(const FillText& texts);
// Who uses a package: named, the first of two parts.
UsedByPage SampleUsedBy(const FillText& texts);

void AddProviderSamples(const PageFrame& frame, const FillText& texts,
                        std::vector<SamplePage>& pages);
void AddMirrorSamples(const PageFrame& frame, const FillText& texts,
                      std::vector<SamplePage>& pages);

// The administrator's pages; the same of those with forms; the pages of accounts, forms and
// confirmations; those of the documentation.
void AddAdminSamples(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages);
void AddAdminFormSamples(const PageFrame& frame, const FillText& texts,
                         std::vector<SamplePage>& pages);
void AddFormSamples(const PageFrame& signed_in, const FillText& texts,
                    std::vector<SamplePage>& pages);
void AddManualSamples(const PageFrame& frame, const FillText& texts,
                      std::vector<SamplePage>& pages);

}  // namespace koya::web
