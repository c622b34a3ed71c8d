#include "service/providers/schema_table.h"

#include <algorithm>
#include <utility>

#include "inspect/provider/schema.h"

namespace koya::service {
namespace {

namespace provider = inspect::provider;

SchemaRow RowOf(const provider::SchemaNode& node, const std::string& prefix) {
  return {.path = prefix + node.name,
          .type = node.type,
          .is_block = node.block,
          .required = node.required || (node.block && node.least > 0),
          .optional = node.optional,
          .computed = node.computed,
          .sensitive = node.sensitive,
          .write_only = node.write_only,
          .deprecated = node.deprecated,
          .description = node.description,
          .deprecation = node.deprecation};
}

int Rank(const provider::SchemaNode& node) {
  if (node.required || (node.block && node.least > 0)) return 0;
  return node.optional || node.block ? 1 : 2;
}

// Parameters mean what they do by where they stand.
class TableWriter {
 public:
  TableWriter(SchemaTable& table, std::size_t most, bool in_order)
      : table_(table), most_(most), in_order_(in_order) {}

  void Add(const std::vector<provider::SchemaNode>& nodes, const std::string& prefix) {
    std::vector<const provider::SchemaNode*> ordered;
    ordered.reserve(nodes.size());
    for (const provider::SchemaNode& each : nodes) ordered.push_back(&each);
    if (!in_order_) {
      // Of one rank they stay as they were: their places in the vector are in order.
      std::ranges::sort(ordered, {}, [](const provider::SchemaNode* each) {
        return std::pair(Rank(*each), each);
      });
    }
    for (const provider::SchemaNode* each : ordered) {
      if (table_.rows.size() < most_) {
        table_.rows.push_back(RowOf(*each, prefix));
      } else {
        ++table_.left_out;
      }
      Add(each->nodes, prefix + each->name + ".");
    }
  }

 private:
  SchemaTable& table_;
  std::size_t most_;
  bool in_order_;
};

}  // namespace

Result<SchemaTable> ReadSchemaTable(std::string_view item, std::size_t most) {
  ASSIGN_OR_RETURN(provider::SchemaItem read, provider::DecodeSchemaItem(item));
  SchemaTable table{.name = std::move(read.name),
                    .description = std::move(read.description),
                    .deprecated = read.deprecated,
                    .deprecation = std::move(read.deprecation),
                    .returns = std::move(read.returns)};
  const bool is_function = read.kind == provider::SchemaKind::kFunction;
  TableWriter(table, most, is_function).Add(read.nodes, "");
  return table;
}

}  // namespace koya::service
