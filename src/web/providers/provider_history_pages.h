// Renders a provider's changes between two versions, and its usage. See provider_pages.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "web/common/page_frame.h"
#include "web/common/refusal.h"
#include "web/common/view.h"
#include "web/providers/provider_pages.h"
#include "wire/comparison.h"
#include "wire/usage.h"

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

// The document about who uses a module or provider: the piece _used_by, shared by the pages
// /modules/A/VERSION/used-by and /providers/A/usage.
struct UsedByPage {
  static constexpr std::uint64_t kMostRows = 50;  // of consumers in a part, of versions, dependents

  wire::UsedBy used;
  std::uint64_t days = 30;  // of the period
  std::string package;      // the path of the module or provider; its versions are below it
  std::string path;         // of the page
  std::string command;      // "koya usage used-by acme/vpc/aws"; "": none
};
void AddUsedBy(View& view, const UsedByPage& page);

// /providers/NS/TYPE/usage
struct ProviderUsagePage {
  ProviderHead head;
  UsedByPage used;
};
std::string RenderProviderUsage(const PageFrame& frame, const ProviderUsagePage& page);

}  // namespace koya::web
