// Reads the output of `tofu providers schema -json` as it arrives: hundreds of megabytes in the
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
  std::string type;                  // of the provider, "aws": others in the document are skipped
  std::uint64_t bytes = 256U << 20;  // limits.schema_bytes
  std::size_t item_memory = 24U << 20;  // for one resource, approximately; larger ones are left out
};

struct SchemaSummary {
  std::string provider;  // as in the document: "registry.opentofu.org/hashicorp/aws"
  std::size_t items = 0;
  std::vector<std::string> warnings;  // sentences; at most 100
};

class SchemaReader {
 public:
  // `take` gets each complete item, in the document's order, each once.
  using Take = std::function<Status(SchemaItem item)>;
  SchemaReader(const SchemaOptions& options, Take take);
  ~SchemaReader();
  SchemaReader(const SchemaReader&) = delete;
  SchemaReader& operator=(const SchemaReader&) = delete;

  // Feeds the next bytes of the document. Fails: kInvalid (not JSON, or not of this kind),
  // kTooLarge with limits.schema_bytes, and as `take` does. Do not call again after a failure.
  Status Feed(std::string_view part);
  // REQUIRES: all bytes were fed. Fails: kInvalid, also if the document lacks the provider.
  Result<SchemaSummary> Finish();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace koya::inspect::provider
