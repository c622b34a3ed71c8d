#include "api/common/listed_hits.h"

#include "api/common/call.h"
#include "domain/module_record.h"
#include "domain/provider_record.h"
#include "service/access/namespaces.h"

namespace koya::api {

SearchHit HitOf(const ModuleSummary& module) {
  return {.subject_kind = SearchKind::kModule,
          .address = module.address.ToString(),
          .version = module.latest.ToString(),
          .published_at = module.published_at,
          .deprecated = module.deprecated,
          .kind = SearchKind::kModule,
          .name = module.address.name(),
          .title = module.description,
          .snippet = {},
          .marks = {}};
}

SearchHit HitOf(const ProviderSummary& provider) {
  return {.subject_kind = SearchKind::kProvider,
          .address = provider.address.ToString(),
          .version = provider.latest.ToString(),
          .published_at = provider.published_at,
          .deprecated = provider.deprecated,
          .kind = SearchKind::kProvider,
          .name = provider.address.type(),
          .title = {},
          .snippet = {},
          .marks = {}};
}

Task<Visibility> FindVisibility(const Call& call, std::string ns) {
  ASSIGN_OR_CO_RETURN(const service::NamespaceState state,
                      co_await call.services.rights.namespaces.FindNamespace(std::move(ns)));
  co_return call.services.access.Effective(state.visibility);
}

Task<void> AddVisibility(const Call& call, std::vector<SearchHit>& hits) {
  for (SearchHit& hit : hits) {
    if (!hit.host.empty() || !hit.url.empty()) continue;
    ASSIGN_OR_CO_RETURN(hit.visibility, co_await FindVisibility(
                                            call, hit.address.substr(0, hit.address.find('/'))));
  }
  co_return Status();
}

Task<void> AddBadges(const Call& call, std::vector<SearchHit>& hits) {
  if (call.principal.is_anonymous()) co_return Status();
  co_return co_await AddVisibility(call, hits);
}

}  // namespace koya::api
