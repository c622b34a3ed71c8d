// A lease: the right to do work that one server at a time should do.
#pragma once

#include <string>

#include "base/clock.h"

namespace koya {

struct LeaseRecord {
  std::string name;       // of the work: "gc"
  std::string holder;     // random id of the process that has it
  std::string address;    // where that process is: for display, or for servers that join in
  UnixSeconds until = 0;  // by the database's clock
  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

}  // namespace koya
