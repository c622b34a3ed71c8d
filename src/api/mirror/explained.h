// Explanations why clients get a package of another registry, or do not: for the page, its JSON
// twin, and language models. Fetches nothing. REQUIRES: the caller may know of the mirror.
#pragma once

#include <string>
#include <string_view>

#include "base/task.h"
#include "service/mirror/explanation.h"
#include "wire/mirror_reports.h"

namespace koya::api {

struct Call;

struct Explained {
  service::MirrorQuestion question;
  service::MirrorExplanation told;
};

// The registry that an address without a host means: the first that may be pulled from, else the
// usual one of clients.
HostName UsualHost(const service::PullPolicy& policy);

// The question of a request, as service::ParseMirrorQuestion reads it. Fails: kInvalid, also for a
// package of this registry itself.
Result<service::MirrorQuestion> ReadMirrorQuestion(const Call& call, std::string_view address,
                                                   std::string_view version);

// `address` and `version`: as above. Fails: as
// ReadMirrorQuestion; as the catalog.
Task<Explained> ExplainAsked(Call& call, std::string address, std::string version);

wire::MirrorExplanation ToWire(const Explained& explained);

}  // namespace koya::api
