// For tests: the pages of accounts, forms and confirmations. See sample_pages_fake.h.
#pragma once

#include <vector>

#include "web/providers/provider_samples_fake.h"

namespace koya::web {

void AddFormSamples(const PageFrame& signed_in, const FillText& texts,
                    std::vector<SamplePage>& pages);

}  // namespace koya::web
