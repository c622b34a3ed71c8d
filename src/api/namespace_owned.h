// The pages of a namespace that its owners look after it with: whose they are. To everybody else
// they are nowhere, whether there is such a namespace or not.
#pragma once

#include <string>
#include <string_view>

#include "api/call.h"
#include "api/page_form.h"
#include "api/visit.h"
#include "web/namespace_head.h"

namespace koya::api {

struct OwnedNamespace {
  auth::Principal by;
  NamespaceRecord record;

  web::NamespaceHead Head() const {
    return {.name = record.name, .visibility = record.visibility, .is_owner = true};
  }
};

// {namespace} of the path, if whoever is signed in owns it. REQUIRES: visit.visitor(). Fails:
// kNotFound; as the catalog.
Task<OwnedNamespace> FindOwned(Call& call, const Visit& visit);

// Where the page of {namespace} with this end is: "people". A name that cannot be is kept as it is.
std::string OwnedPath(const Call& call, std::string_view end);

// Logs that something was changed in a namespace.
void LogOwned(const Call& call, const OwnedNamespace& owned, std::string_view what,
              std::string_view name);

}  // namespace koya::api
