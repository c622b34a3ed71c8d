// Statement is a named piece of SQL. Statements sit at the top of the file that runs them; the name
// appears in errors and logs. `{{word}}` stands for text that differs between engines (dialect.h);
// parameters are written `:name`, each once, and are bound in order.
#pragma once

#include <string_view>

namespace koya::sql {

struct Statement {
  std::string_view name;
  std::string_view text;
};

}  // namespace koya::sql
