// What happens to a provider: what changed between two of its versions, and who fetches it. See
// provider_pages.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "web/page_frame.h"
#include "web/provider_head.h"
#include "web/refusal.h"
#include "web/view_parts.h"

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
      from;  // as asked for, or the one before `to`; "" with `to`: there is nothing to compare
  std::string to;
  bool is_compared = false;  // what follows is known
  ShownStep needed = ShownStep::kNone;
  bool agrees = true;
  bool is_judged = true;  // `to` is above `from`
  std::string wanted;     // the least number that would agree; "": the one given does
  std::vector<ProviderChange> changes;
  std::uint64_t all_changes = 0;
  Refusal problem;  // why there is no answer; empty: there is, or nobody asked
};
std::string RenderProviderChanges(const PageFrame& frame, const ProviderChangesPage& page);

struct UsageShare {
  std::string name;  // of a consumer; a version
  std::string path;  // of a version; "" of one that is not here
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
  bool is_counted = true;  // else nobody counts
  std::uint64_t days = 30;
  std::uint64_t fetches = 0;
  std::uint64_t archives = 0;
  std::uint64_t bots = 0;
  std::uint64_t consumers = 0;
  std::uint64_t people = 0;
  bool is_partial = false;
  std::vector<std::uint64_t> series;  // of the days, the last is today
  std::vector<UsageShare> versions;   // kMostRows at most, the newest first
  std::uint64_t more_versions = 0;
  bool is_named = false;                    // the reader may know who fetches
  std::vector<UsageShare> consumer_shares;  // then; kMostRows at most
  std::uint64_t more_consumers = 0;
};
std::string RenderProviderUsage(const PageFrame& frame, const ProviderUsagePage& page);

}  // namespace koya::web
