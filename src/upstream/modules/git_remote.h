// What git is told so that it connects to where a repository was said to be, and nowhere else:
// only to addresses that upstream.allow_private_addresses and its rules allow, pinned before git
// runs; no redirects but those that our own rules followed; one protocol; nobody is asked anything.
//
// Blocking; any thread. Failures are those of module_source.h.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "upstream/fetcher.h"
#include "upstream/package_location.h"

namespace koya::upstream {

struct GitRemote {
  std::string url;       // fit to stand in a command, without credentials
  std::string protocol;  // "https" or "ssh"
  // A plain web server has the repository, whose "dumb" protocol knows no depth.
  bool plain_files = false;
  std::vector<std::string> configuration;  // "http.followRedirects=false"
  std::vector<std::string> environment;    // "GIT_SSL_CAINFO=…"
};

// Over https, the repository is asked for its references first, by `fetcher`: that follows its
// redirects and tells what is missing (kNotFound) from what wants a login (kBadUpstream). Over ssh,
// the name is looked up. `ssh_program` is run by git.
Result<GitRemote> ResolveGitRemote(Fetcher& fetcher, const GitLocation& location,
                                   const std::string& ssh_program, const Patience& patience);

}  // namespace koya::upstream
