// What `tofu providers schema -json` prints, read as it arrives: hundreds of megabytes in the
// memory of their largest resource. One thread.
//
// Source: the clients' own encoders (internal/command/jsonprovider); format versions 0.1 to 1.x.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inspect/provider/schema.h"

namespace koya::inspect::provider {

struct SchemaOptions {
  std::string type;  // of the provider, "aws": others in the document are passed over
  std::uint64_t bytes = 256U << 20;     // limits.schema_bytes
  std::size_t item_memory = 24U << 20;  // of one resource, roughly; a larger one is left out
};

struct SchemaSummary {
  std::string provider;  // as the document calls it: "registry.opentofu.org/hashicorp/aws"
  std::size_t items = 0;
  std::vector<std::string> warnings;  // sentences; at most 100
};

class SchemaReader {
 public:
  // `take` gets each item when it is whole, in the document's order, each once.
  using Take = std::function<Status(SchemaItem item)>;
  SchemaReader(const SchemaOptions& options, Take take);
  ~SchemaReader();
  SchemaReader(const SchemaReader&) = delete;
  SchemaReader& operator=(const SchemaReader&) = delete;

  // The next bytes of the document. Fails: kInvalid (no JSON, or none of this kind), kTooLarge with
  // limits.schema_bytes, and as `take` does. After a failure: no more calls.
  Status Feed(std::string_view part);
  // REQUIRES: all was fed. Fails: kInvalid, also when the provider is not in there.
  Result<SchemaSummary> Finish();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace koya::inspect::provider
