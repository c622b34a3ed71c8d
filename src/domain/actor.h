// Who does something, as the audit log names them.
#pragma once

#include <cstddef>
#include <string>

namespace koya {

// Who does something, and from where. Texts of others are cut to kMostText bytes where they are
// written.
struct Actor {
  static constexpr std::size_t kMostText = 256;

  std::string name;   // of the account ("user:ada", "service:ci"), or of the token that is its own
                      // ("token:ci"); "koya": the server itself; "": a stranger
  std::string token;  // of the token or session that was sent; "": none
  std::string address;
  std::string user_agent;
  std::string request_id;

  // The server itself, or whoever works on its data folder.
  static Actor Server() { return {.name = "koya"}; }
  friend bool operator==(const Actor&, const Actor&) = default;
};

}  // namespace koya
