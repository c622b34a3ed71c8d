// For tests: the pages of the documentation. See sample_pages_fake.h.
#pragma once

#include <vector>

#include "web/providers/provider_samples_fake.h"

namespace koya::web {

void AddManualSamples(const PageFrame& frame, const FillText& texts,
                      std::vector<SamplePage>& pages);

}  // namespace koya::web
