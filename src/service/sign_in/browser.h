// What is known of a browser before anybody has signed in with it.
#pragma once

#include <string>
#include <utility>

#include "domain/audit_record.h"

namespace koya::service {

struct Browser {
  std::string address;     // the client's: http::Request::remote
  std::string user_agent;  // as sent; what is kept of it is cut
  // What it was given when somebody last signed in with it (StartedSession::device); "": nothing.
  std::string device = {};
  std::string request_id = {};

  // Somebody with this browser, to the audit log; `name` as Actor::name.
  Actor ActorNamed(std::string name) const {
    return {.name = std::move(name),
            .token = {},
            .address = address,
            .user_agent = user_agent,
            .request_id = request_id};
  }
};

}  // namespace koya::service
