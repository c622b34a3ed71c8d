// For tests: the pages of providers and of the mirror in every state that their structs can have.
// See sample_pages_fake.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "web/providers/provider_pages.h"
#include "web/sample_pages_fake.h"

namespace koya::web {

// Gives each text as it is, or another in its place.
using FillText = std::function<std::string(std::string)>;

// A head and an overview as people will see them.
ProviderHead SampleProviderHead(const FillText& texts);
ProviderPage SampleProviderPage(const FillText& texts);

void AddProviderSamples(const PageFrame& frame, const FillText& texts,
                        std::vector<SamplePage>& pages);
void AddMirrorSamples(const PageFrame& frame, const FillText& texts,
                      std::vector<SamplePage>& pages);

}  // namespace koya::web
