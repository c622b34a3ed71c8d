// Renders bulk actions on users, for administrators: the page that lists them and asks for
// confirmation, and the page that reports failures. Pure and thread-safe. REQUIRES: frame.csrf.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/common/page_frame.h"
#include "web/common/refusal.h"

namespace koya::web {

enum class BulkAction { kDisable, kEnable, kAddToGroup };
inline constexpr std::array kChosenDeeds{BulkAction::kDisable, BulkAction::kEnable,
                                         BulkAction::kAddToGroup};
// "disable", "enable", "add".
std::string_view ChosenDeedName(BulkAction deed);
std::optional<BulkAction> ParseChosenDeed(std::string_view text);

inline constexpr std::string_view kChosenUsersAddress = "/-/admin/chosen-users";
inline constexpr std::size_t kMostChosenUsers = 50;  // one page of users

// GET and POST kChosenUsersAddress; fields chosen (their names with commas between), deed, group.
struct AdminChosenPage {
  BulkAction deed = BulkAction::kDisable;
  std::string group = {};               // of kAddToGroup
  std::vector<std::string> users = {};  // to confirm; empty: it was done
  struct Failed {
    std::string user;
    bool is_last_administrator = false;
    Refusal refusal = {};  // unless that
  };
  std::vector<Failed> failed = {};        // users for whom it failed
  std::vector<std::string> done = {};     // users for whom it succeeded
  std::vector<std::string> skipped = {};  // not tried, after one failed
};
std::string RenderAdminChosen(const PageFrame& frame, const AdminChosenPage& page);

}  // namespace koya::web
