// Renders the forms that deprecate, withdraw or restore one version of a module or provider, for
// permitted users. Pure and thread-safe. Texts may be anything: they are escaped and isolated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "web/common/form_parts.h"
#include "web/common/page_frame.h"

namespace koya::web {

// The version that a form concerns.
struct VersionName {
  bool is_module = true;  // else a provider
  std::string ns;
  std::string address;  // "acme/vpc/aws", "acme/demo"
  std::string version;
};
// "/modules/acme/vpc/aws/1.0.0", ".../1.0.0/withdraw".
std::string VersionFormPath(const VersionName& name, std::string_view end = {});
// Path of the list of all its versions.
std::string VersionListPath(const VersionName& name);

struct DeprecatePage {
  VersionName name;
  std::string current;  // the current warning to its users; "": none
  std::string message;  // as typed
  FormErrors errors = {};
};
// Two forms for the same path: `message`, or `undo`, which removes the warning.
std::string RenderDeprecate(const PageFrame& frame, const DeprecatePage& page);

// A module here whose newest version uses the version.
struct VersionCaller {
  std::string address;
  std::string version;
  std::string constraint;  // as written; "": any version
  std::string instead;     // the newest other matching version; "": the module breaks
};

struct WithdrawPage {
  static constexpr std::size_t kMostConsumers = 20;
  static constexpr std::size_t kMostCallers = 20;

  VersionName name;
  bool is_only = false;  // the module or provider has no other version
  bool is_counted = true;
  std::uint64_t days = 30;
  std::uint64_t fetches = 0;      // of the version, in `days`
  std::uint64_t all_fetches = 0;  // of all versions
  std::uint64_t consumers = 0;
  std::uint64_t people = 0;
  bool is_partial = false;              // there were more fetches than could be added up
  std::vector<std::string> names = {};  // of consumers, kMostConsumers at most
  std::uint64_t more_names = 0;
  std::vector<VersionCaller> callers = {};  // breaking ones first, kMostCallers at most
  bool more_callers = false;
  // Calls that may depend on it: their source or version is an expression.
  std::uint64_t unknown = 0;
  bool unknown_more = false;
  std::string reason = {};     // as typed
  std::string successor = {};  // the version to use instead, as typed; may be ""
  std::string typed = {};      // the version, as typed to confirm
  FormErrors errors = {};
};
// One form: `reason`, `successor`, `typed`.
std::string RenderWithdraw(const PageFrame& frame, const WithdrawPage& page);

// Undoes a withdrawal.
struct RestorePage {
  VersionName name;
  std::string reason = {};  // as typed
  FormErrors errors = {};
};
// One form: `reason`.
std::string RenderRestore(const PageFrame& frame, const RestorePage& page);

}  // namespace koya::web
