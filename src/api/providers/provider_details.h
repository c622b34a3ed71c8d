// Document of one provider version in the wider API, also for the twins of pages.
#pragma once

namespace koya {
struct ProviderRelease;
}
namespace koya::wire {
struct ProviderDetails;
}

namespace koya::api {

struct Services;

// Without the list of all versions.
wire::ProviderDetails DetailsOf(const Services& services, const ProviderRelease& release);

}  // namespace koya::api
