// The pages on which one version of a module or provider is deprecated or withdrawn, by those who
// may. Pure and thread-safe. Texts may be anything: they are escaped and isolated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "web/form_parts.h"
#include "web/page_frame.h"

namespace koya::web {

// Which version it is about.
struct VersionName {
  bool is_module = true;  // else a provider
  std::string ns;
  std::string address;  // "acme/vpc/aws", "acme/demo"
  std::string version;
};
// "/modules/acme/vpc/aws/1.0.0", ".../1.0.0/withdraw".
std::string VersionFormPath(const VersionName& name, std::string_view end = {});
// Of the list of all its versions.
std::string VersionListPath(const VersionName& name);

struct DeprecatePage {
  VersionName name;
  std::string current;  // what its users are warned with; "": nothing
  std::string message;  // as typed
  FormErrors errors = {};
};
// Two forms for the same address: `message`, or `undo`, which takes the warning back.
std::string RenderDeprecate(const PageFrame& frame, const DeprecatePage& page);

// A module here whose newest version takes the version.
struct VersionCaller {
  std::string address;
  std::string version;
  std::string constraint;  // as written; "" takes any version
  std::string instead;     // the newest other that would do; "": it breaks
};

struct WithdrawPage {
  static constexpr std::size_t kMostConsumers = 20;
  static constexpr std::size_t kMostCallers = 20;

  VersionName name;
  bool is_only = false;  // nothing is left of the module or provider afterwards
  bool is_counted = true;
  std::uint64_t days = 30;
  std::uint64_t fetches = 0;      // of the version, in so many days
  std::uint64_t all_fetches = 0;  // of all versions
  std::uint64_t consumers = 0;
  std::uint64_t people = 0;
  bool is_partial = false;              // more was fetched than could be added up
  std::vector<std::string> names = {};  // of consumers, kMostConsumers at most
  std::uint64_t more_names = 0;
  std::vector<VersionCaller> callers = {};  // those that break first, kMostCallers at most
  bool more_callers = false;
  std::string reason = {};     // as typed
  std::string successor = {};  // the version to use instead, as typed; may be ""
  std::string typed = {};      // the version, as typed to confirm
  FormErrors errors = {};
};
// One form: `reason`, `successor`, `typed`.
std::string RenderWithdraw(const PageFrame& frame, const WithdrawPage& page);

}  // namespace koya::web
