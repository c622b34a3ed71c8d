// The pages on which one version of a module or provider is deprecated or withdrawn. What they do
// is what the API's routes do: the same services, rights and entries of the audit log. To those who
// may not, they are nowhere. A version that is not here any more leads to its own page, which says
// what became of it.
#pragma once

#include <string_view>

#include "api/call.h"
#include "api/page_form.h"
#include "web/page_frame.h"

namespace koya::api {

enum class Versioned { kModule, kProvider };

// ---- version_forms.cc

template <Versioned kKind>
Task<http::Response> ShowDeprecation(Call& call, const Visit& visit);
template <Versioned kKind>
Task<http::Response> DeprecateByForm(Call& call);
template <Versioned kKind>
Task<http::Response> ShowWithdrawal(Call& call, const Visit& visit);
template <Versioned kKind>
Task<http::Response> WithdrawByForm(Call& call);

// Which of these pages are there for whoever is shown this page, in this namespace.
struct VersionRights {
  bool may_deprecate = false;
  bool may_withdraw = false;
};
VersionRights VersionRightsOf(const Call& call, const web::PageFrame& frame, std::string_view ns);

}  // namespace koya::api
