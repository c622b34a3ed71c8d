// Listings show what somebody may read: ReadableNamespaces as a part of a statement.
#pragma once

#include <string>
#include <string_view>

#include "catalog/sql/query.h"
#include "domain/readable_namespaces.h"

namespace koya::sql {

// " AND (…)", for a row whose namespace's key is the expression `key`; "" when everything may be
// read.
std::string ReadableCondition(const ReadableNamespaces& readable, std::string_view key);
// The condition's parameters, in their turn.
void UseReadable(Query& query, const ReadableNamespaces& readable);

}  // namespace koya::sql
