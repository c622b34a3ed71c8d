// Publishing, deprecating and withdrawing provider releases.
#pragma once

#include "api/call.h"

namespace koya::api {

// POST /api/v1/providers/{namespace}/{type}/{version}/drafts
Task<http::Response> OpenDraft(Call& call);
// GET …/drafts
Task<http::Response> ListDrafts(Call& call);
// GET …/drafts/{id}
Task<http::Response> ShowDraft(Call& call);
// PUT …/drafts/{id}/files/{file}
Task<http::Response> UploadDraftFile(Call& call);
// POST …/drafts/{id}/commit
Task<http::Response> CommitDraft(Call& call);
// DELETE …/drafts/{id}
Task<http::Response> AbandonDraft(Call& call);

// DELETE /api/v1/providers/{namespace}/{type}/{version}
Task<http::Response> WithdrawProvider(Call& call);
// PUT …/{version}/deprecation
Task<http::Response> DeprecateProvider(Call& call);

}  // namespace koya::api
