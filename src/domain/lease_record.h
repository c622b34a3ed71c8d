// The right to do something that one server at a time should do.
#pragma once

#include <string>

#include "base/clock.h"

namespace koya {

struct LeaseRecord {
  std::string name;       // of the work: "gc"
  std::string holder;     // of the process that has it, random
  std::string address;    // where that process is: for people, or for others who join in
  UnixSeconds until = 0;  // by the database's clock
  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

}  // namespace koya
