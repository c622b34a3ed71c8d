// The meaning of heredocs. Pure.
#pragma once

#include <string>
#include <string_view>

namespace koya::hcl {

// What "<<-" makes of its lines: the blanks that all of them begin with are taken away. Lines of
// blanks only do not count, and stay.
std::string WithoutIndent(std::string_view lines);

}  // namespace koya::hcl
