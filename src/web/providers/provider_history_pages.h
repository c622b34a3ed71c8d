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

namespace koya::web {

struct ProviderChange {
  enum class Section { kPlatforms, kProtocols, kKeys, kSchema, kDocs, kOther };
  enum class Sign { kAdded, kChanged, kRemoved, kMoved };
  enum class Weight { kSafe, kCompatible, kRead, kBreaking };

  Section section = Section::kOther;
  Sign sign = Sign::kChanged;
  Weight weight = Weight::kSafe;
  std::string what;      // "platform windows_386"
  std::string sentence;  // in English
};

// /providers/NS/TYPE/changes?from=&to=
struct ProviderChangesPage {
  static constexpr std::size_t kMostChanges = 200;

  ProviderHead head;
  std::string
      from;  // as requested, or the one before `to`; "" with `to`: there is nothing to compare
  std::string to;
  bool is_compared = false;  // the fields below are set
  ShownStep needed = ShownStep::kNone;
  bool agrees = true;
  bool is_judged = true;  // `to` is above `from`
  std::string wanted;     // the least fitting version number; "": the given one fits
  std::vector<ProviderChange> changes;
  std::uint64_t all_changes = 0;
  Refusal problem;  // why there is no result; empty: there is one, or no query
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
