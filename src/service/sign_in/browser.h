// What is known of a browser before anybody has signed in with it.
#pragma once

#include <string>

namespace koya::service {

struct Browser {
  std::string address;     // the client's: http::Request::remote
  std::string user_agent;  // as sent; what is kept of it is cut
  // What it was given when somebody last signed in with it (StartedSession::device); "": nothing.
  std::string device = {};
};

}  // namespace koya::service
