// What is done to several users at once, for administrators: the page that names them and asks, and
// the one that says of whom it was not done. Pure and thread-safe. REQUIRES: frame.csrf.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/page_frame.h"
#include "web/refusal.h"

namespace koya::web {

enum class ChosenDeed { kDisable, kEnable, kAddToGroup };
inline constexpr std::array kChosenDeeds{ChosenDeed::kDisable, ChosenDeed::kEnable,
                                         ChosenDeed::kAddToGroup};
// "disable", "enable", "add".
std::string_view ChosenDeedName(ChosenDeed deed);
std::optional<ChosenDeed> ParseChosenDeed(std::string_view text);

inline constexpr std::string_view kChosenUsersAddress = "/-/admin/chosen-users";
inline constexpr std::size_t kMostChosenUsers = 50;  // as many as a page of them has

// GET and POST kChosenUsersAddress; fields chosen (their names with commas between), deed, group.
struct AdminChosenPage {
  ChosenDeed deed = ChosenDeed::kDisable;
  std::string group = {};               // of kAddToGroup
  std::vector<std::string> users = {};  // to be asked about; empty: it was done
  struct Failed {
    std::string user;
    bool is_last_administrator = false;
    Refusal refusal = {};  // of others
  };
  std::vector<Failed> failed = {};        // of whom it was not done
  std::vector<std::string> done = {};     // of whom it was
  std::vector<std::string> skipped = {};  // of whom it was not even tried, after one failed
};
std::string RenderAdminChosen(const PageFrame& frame, const AdminChosenPage& page);

}  // namespace koya::web
