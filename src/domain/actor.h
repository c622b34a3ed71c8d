// The actor of an operation, as the audit log names it.
#pragma once

#include <cstddef>
#include <string>

namespace koya {

// Who performs an operation, and from where. Texts from outside are cut to kMostText bytes when
// they are written.
struct Actor {
  static constexpr std::size_t kMostText = 256;

  std::string name;   // the account ("user:ada", "service:ci"), or a token without an account
                      // ("token:ci"); "koya": the server itself; "": anonymous
  std::string token;  // the token or session that was sent; "": none
  std::string address;
  std::string user_agent;
  std::string request_id;

  // The server itself, or an operator who works on its data folder.
  static Actor Server() { return {.name = "koya"}; }
  friend bool operator==(const Actor&, const Actor&) = default;
};

}  // namespace koya
