// Schemas of providers: any document is read or rejected with a reason, the same in parts of any
// size; an accepted one survives being written and read, and equals itself in a comparison. The
// first byte is the size of the parts.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inspect/provider/schema_changes.h"
#include "inspect/provider/schema_reader.h"

namespace {

namespace provider = koya::inspect::provider;

std::vector<provider::SchemaItem> ReadParts(std::string_view text, std::size_t step, bool& good) {
  std::vector<provider::SchemaItem> items;
  auto take = [&](provider::SchemaItem item) -> koya::Status {
    items.push_back(std::move(item));
    return {};
  };
  provider::SchemaReader reader({.type = "demo", .item_memory = 1 << 20}, take);
  good = false;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, step);
    const koya::Status fed = reader.Feed(part);
    if (!fed) {
      if (fed.error().message.empty()) std::abort();
      return items;
    }
    text.remove_prefix(part.size());
  }
  const auto summary = reader.Finish();
  good = summary.has_value();
  if (good && (summary->items != items.size() || summary->provider.empty())) std::abort();
  if (!good && summary.error().message.empty()) std::abort();
  return items;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  bool good = false;
  bool whole = false;
  auto items = ReadParts(text, 1 + data[0] % 64U, good);
  if (items != ReadParts(text, std::max<std::size_t>(1, text.size()), whole) || good != whole) {
    std::abort();
  }
  for (const provider::SchemaItem& item : items) {
    const auto again = provider::DecodeSchemaItem(provider::EncodeSchemaItem(item));
    if (!again || *again != item) std::abort();
    provider::SchemaComparison same;
    same.Add(&item, &*again);
    if (!same.changes().empty()) std::abort();
  }
  std::ranges::sort(items, [](const auto& a, const auto& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.name < b.name;
  });
  const std::size_t half = items.size() / 2;
  (void)provider::CompareSchemas(std::span(items).first(half), std::span(items).subspan(half));
  (void)provider::DecodeSchemaItem(text);
  return 0;
}
