// A named piece of SQL. They sit at the top of the file that runs them; the name stands in errors
// and logs. `{{word}}` stands for what differs between engines (dialect.h); parameters are written
// `:name`, each once, and are bound in order.
#pragma once

#include <string_view>

namespace koya::sql {

struct Statement {
  std::string_view name;
  std::string_view text;
};

}  // namespace koya::sql
