#include "catalog/catalog_parts_fake.h"

#include <chrono>
#include <tuple>
#include <type_traits>

#include "catalog/catalog.h"
#include "catalog/sql/open_catalog.h"

namespace koya {

CatalogParts::CatalogParts(Catalog& catalog)
    : parts_([&]<class... Part>(std::type_identity<std::tuple<Part*...>>) {
        return Parts(static_cast<Part*>(&catalog)...);
      }(std::type_identity<Parts>())) {}

TemporaryCatalog::TemporaryCatalog()
    : catalog(OpenCatalog({.url = "sqlite:" + (folder / "koya.db").string(),
                           .read_timeout = std::chrono::hours(1),
                           .write_timeout = std::chrono::hours(1),
                           .durable = false})
                  .value()) {}

}  // namespace koya
