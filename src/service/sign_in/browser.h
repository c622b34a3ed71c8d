// Describes a browser before its user signs in.
#pragma once

#include <string>
#include <utility>

#include "domain/audit_record.h"

namespace koya::service {

struct Browser {
  std::string address;     // the client's: http::Request::remote
  std::string user_agent;  // as sent; the stored copy is cut
  // The mark from the last sign-in with this browser (StartedSession::device); "": none.
  std::string device = {};
  std::string request_id = {};

  // The user of this browser for the audit log; `name` as Actor::name.
  Actor ActorNamed(std::string name) const {
    return {.name = std::move(name),
            .token = {},
            .address = address,
            .user_agent = user_agent,
            .request_id = request_id};
  }
};

}  // namespace koya::service
