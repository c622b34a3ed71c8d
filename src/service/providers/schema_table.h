// Converts the schema of a resource, data source or function to the rows of a table, for pages
// without Markdown. Pure: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::service {

// An attribute, a block or a parameter.
struct SchemaRow {
  std::string path;  // "ebs_block_device.iops"
  std::string type;  // "list(string)"; "" for a block, and for a row with attributes of its own
  bool is_block = false;
  bool required = false;
  bool optional = false;
  bool computed = false;
  bool sensitive = false;
  bool write_only = false;
  bool deprecated = false;
  std::string description;
  std::string deprecation;  // what to use instead
};

struct SchemaTable {
  std::string name;  // "aws_instance"; "" of the provider's configuration
  std::string description;
  bool deprecated = false;
  std::string deprecation;
  std::string returns;  // of a function
  // Required rows first, then optional, then read-only ones; each followed by its nested rows.
  // Parameters keep their order.
  std::vector<SchemaRow> rows;
  std::size_t left_out = 0;  // rows beyond the limit
};

// `item`: written by inspect::provider::EncodeSchemaItem. `most`: limit of rows. Fails: kInvalid.
Result<SchemaTable> ReadSchemaTable(std::string_view item, std::size_t most);

}  // namespace koya::service
