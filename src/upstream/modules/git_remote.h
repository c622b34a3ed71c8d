// Settings with which git connects to the given location of a repository, and nowhere else: only to
// addresses that upstream.allow_private_addresses and its rules allow, pinned before git runs; no
// redirects except those that were followed here under the same rules; one protocol; no prompts.
//
// Blocking; any thread. Failures are those of module_source.h.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "upstream/fetcher.h"
#include "upstream/module_source.h"

namespace koya::upstream {

struct GitRemote {
  std::string url;       // safe in a command, without credentials
  std::string protocol;  // "https" or "ssh"
  // The repository is on a plain web server, whose "dumb" protocol has no depth.
  bool plain_files = false;
  std::vector<std::string> configuration;  // "http.followRedirects=false"
  std::vector<std::string> environment;    // "GIT_SSL_CAINFO=…"
};

// Over https, first requests the repository's references through `fetcher`, which follows its
// redirects and distinguishes a missing repository (kNotFound) from one that requires a login
// (kBadUpstream). Over ssh, looks up the name. Git runs `ssh_program`.
Result<GitRemote> ResolveGitRemote(Fetcher& fetcher, const GitLocation& location,
                                   const std::string& ssh_program, const Deadline& patience);

}  // namespace koya::upstream
