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

std::string MigratedSqlite(const std::filesystem::path& path) {
  static const TempFolder folder;
  static const std::filesystem::path migrated = [] {
    std::filesystem::path file = folder / "koya.db";
    OpenCatalog({.url = "sqlite:" + file.string(), .durable = false}).value();
    return file;
  }();
  std::filesystem::copy_file(migrated, path, std::filesystem::copy_options::skip_existing);
  return "sqlite:" + path.string();
}

TemporaryCatalog::TemporaryCatalog()
    : catalog(OpenCatalog({.url = MigratedSqlite(folder / "koya.db"),
                           .read_timeout = std::chrono::hours(1),
                           .write_timeout = std::chrono::hours(1),
                           .durable = false})
                  .value()) {}

}  // namespace koya
