#include "web/providers/doc_kind.h"

namespace koya::web {

void AddDocKind(View& view, std::string_view kind) {
  view.Flag("kind_overview", kind == "overview")
      .Flag("kind_guides", kind == "guides")
      .Flag("kind_resources", kind == "resources")
      .Flag("kind_data", kind == "data-sources")
      .Flag("kind_functions", kind == "functions")
      .Flag("kind_ephemeral", kind == "ephemeral-resources")
      .Flag("kind_list", kind == "list-resources")
      .Flag("kind_actions", kind == "actions");
}

}  // namespace koya::web
