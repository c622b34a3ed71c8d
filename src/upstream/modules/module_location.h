// Parses the location of a module as a registry gives it: the addresses of go-getter, as far as a
// server may follow them (wire facts §2.3 to §2.5). Pure functions: any thread.
//
// Followed: https archives, git over https and ssh in all their spellings, https pages that name
// another location. Rejected: addresses that are not encrypted, that name this machine, that
// require credentials inside, or that need another system's program (hg, S3, GCS, OCI).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/url.h"
#include "upstream/module_source.h"

namespace koya::upstream {

// `text` as a registry or a page gave it; relative ones ("/", "./", "../" in front) are resolved
// against `asked`, the requested URL, before redirects. Fails: kBadUpstream, naming the part that
// cannot be followed and why; never with user information or a query.
Result<ModuleLocation> ParseModuleLocation(const http::Url& asked, std::string_view text);

// The location in a document with "use_registry_credentials": a plain URL of any relative form,
// whose kind only its bytes show. Fails as above.
Result<ModuleLocation> ParseDirectLocation(const http::Url& asked, std::string_view text);

// The content of a page's <meta name="terraform-get" content="…">; "" if there is none before its
// body.
std::string FindTerraformGet(std::string_view html);

// Joins a folder to another, both as in FetchedModule.
std::string JoinFolders(std::string_view outer, std::string_view inner);

// `text` without parts that may be secret, for display.
std::string ShownLocation(std::string_view text);

}  // namespace koya::upstream
