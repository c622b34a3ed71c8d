// For tests: the pages of accounts, of forms and of what is confirmed. See sample_pages_fake.h.
#pragma once

#include <vector>

#include "web/provider_samples_fake.h"

namespace koya::web {

void AddFormSamples(const PageFrame& signed_in, const FillText& texts,
                    std::vector<SamplePage>& pages);

}  // namespace koya::web
