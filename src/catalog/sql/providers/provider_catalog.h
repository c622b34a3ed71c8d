// Implements ProviderCatalog: providers and their releases in the database.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/provider_catalog.h"
#include "catalog/sql/engine/database.h"
#include "domain/page.h"

namespace koya::sql {

// Why there is no such release: it was withdrawn (kGone), or never published here (kNotFound).
Failure AbsenceOf(Session& session, const ProviderAddress& address, const Version& version);

}  // namespace koya::sql
