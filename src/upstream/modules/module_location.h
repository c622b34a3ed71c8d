// Where a registry says that a module is: the addresses of go-getter, as far as a server may follow
// them (wire facts §2.3 to §2.5). Pure functions: any thread.
//
// Followed: https archives, git over https and ssh in all their spellings, https pages that name
// another place. Refused: everything that is not encrypted, that names this machine, that needs
// credentials inside, or another system's program (hg, S3, GCS, OCI).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/url.h"
#include "upstream/package_location.h"

namespace koya::upstream {

// `text` as a registry or a page gave it; relative ones ("/", "./", "../" in front) are seen from
// `asked`, the URL that was asked, before redirects. Fails: kBadUpstream, saying what cannot be
// followed and why; never with user information or a query.
Result<ModuleLocation> ParseModuleLocation(const http::Url& asked, std::string_view text);

// The location of a document that has "use_registry_credentials": a plain URL of any relative form,
// the bytes say what it is. Fails as above.
Result<ModuleLocation> ParseDirectLocation(const http::Url& asked, std::string_view text);

// What a page's <meta name="terraform-get" content="…"> says; "" when it has none before its body.
std::string FindTerraformGet(std::string_view html);

// A folder inside another, both as in FetchedModule.
std::string JoinFolders(std::string_view outer, std::string_view inner);

// `text` fit to be shown: without what may be secret in it.
std::string ShownLocation(std::string_view text);

}  // namespace koya::upstream
