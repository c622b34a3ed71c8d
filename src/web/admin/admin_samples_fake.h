// For tests: the administrator's pages in every state that their structs can have. See
// sample_pages_fake.h.
#pragma once

#include <vector>

#include "web/providers/provider_samples_fake.h"

namespace koya::web {

void AddAdminSamples(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages);

// The same of those with forms.
void AddAdminFormSamples(const PageFrame& frame, const FillText& texts,
                         std::vector<SamplePage>& pages);

}  // namespace koya::web
