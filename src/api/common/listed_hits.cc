#include "api/common/listed_hits.h"

#include "domain/module_record.h"
#include "domain/provider_record.h"

namespace koya::api {

SearchHit HitOf(const ModuleSummary& module) {
  return {.subject_kind = SearchKind::kModule,
          .address = module.address.ToString(),
          .version = module.latest.ToString(),
          .published_at = module.published_at,
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
          .kind = SearchKind::kProvider,
          .name = provider.address.type(),
          .title = {},
          .snippet = {},
          .marks = {}};
}

}  // namespace koya::api
