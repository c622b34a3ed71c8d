// One provider version as the wider API shows it, for its documents and for the twins of pages.
#pragma once

#include "api/call.h"
#include "domain/provider_record.h"
#include "wire/providers.h"

namespace koya::api {

// Without the list of all versions.
wire::ProviderDetails DetailsOf(const Services& services, const ProviderRelease& release);

}  // namespace koya::api
