// The block types of configurations, for their JSON syntax. Source: the clients' documentation of
// the language.
#pragma once

#include "hcl/json_syntax.h"

namespace koya::inspect {

extern const hcl::BodyShape kConfigShape;
extern const hcl::BodyShape kTestShape;

}  // namespace koya::inspect
