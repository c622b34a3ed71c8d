// Renders a provider's changes between two versions, and its usage. See provider_pages.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "web/common/page_frame.h"
#include "web/common/refusal.h"
#include "web/common/view_parts.h"
#include "web/providers/provider_head.h"
#include "wire/comparison.h"

namespace koya::web {

// /providers/NS/TYPE/changes?from=&to=
struct ProviderChangesPage {
  ProviderHead head;
  std::string from;  // as requested, or the one before `to`; "" with `to`: nothing to compare
  std::string to;
  std::optional<wire::Comparison> compared;
  std::size_t most_changes = 200;  // of `compared`, that are shown
  bool is_judged = true;           // `to` is above `from`
  Refusal problem;                 // why there is no result; empty: there is one, or no query
};
std::string RenderProviderChanges(const PageFrame& frame, const ProviderChangesPage& page);

struct UsageShare {
  std::string name;  // of a consumer; a version
  std::string path;  // of a version; "": it is not here
  std::uint64_t fetches = 0;
  std::uint64_t archives = 0;
  std::uint64_t consumers = 0;
  std::uint64_t people = 0;
  UnixSeconds last_at = 0;  // a day; 0: not known
};

// /providers/NS/TYPE/usage
struct ProviderUsagePage {
  static constexpr std::size_t kMostRows = 50;

  ProviderHead head;
  bool is_counted = true;  // false: fetches are not counted
  std::uint64_t days = 30;
  std::uint64_t fetches = 0;
  std::uint64_t archives = 0;
  std::uint64_t bots = 0;
  std::uint64_t consumers = 0;
  std::uint64_t people = 0;
  bool is_partial = false;
  std::vector<std::uint64_t> series;  // by day, the last is today
  std::vector<UsageShare> versions;   // kMostRows at most, the newest first
  std::uint64_t more_versions = 0;
  bool is_named = false;                    // the reader may see the consumers
  std::vector<UsageShare> consumer_shares;  // if is_named; kMostRows at most
  std::uint64_t more_consumers = 0;
};
std::string RenderProviderUsage(const PageFrame& frame, const ProviderUsagePage& page);

}  // namespace koya::web
