// Small texts that programs ask for: feeds, badges, and well-known files of a site. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace koya::web {

// ---- an Atom 1.0 feed (RFC 4287) of published versions

struct FeedEntry {
  std::string name;     // "acme/vpc/aws 1.2.0"
  std::string path;     // of its page; the entry's id contains it, so it must never change
  std::string summary;  // ""
  std::string author;   // who published it; "": not shown
  UnixSeconds published_at = 0;
};

struct Feed {
  std::string site_url;   // no slash at its end
  std::string site_host;  // prefix of ids
  std::string title;
  std::string path;                // of the feed
  std::string page_path;           // of the equivalent HTML page
  std::vector<FeedEntry> entries;  // newest first
};

// Texts may be anything; characters that are invalid in XML are replaced. A feed without entries is
// dated 1970.
std::string AtomText(const Feed& feed);

// ---- a badge that shows the newest version, for READMEs on other sites

// An SVG of two parts, without style or script. `value`: "4.2.0"; texts are truncated at 64 bytes.
std::string BadgeText(std::string_view label, std::string_view value);

// ---- well-known small files of a site for programs

// /robots.txt: of a site that search engines may index, except pages for programs and volatile
// ones; and of a site that they may not index.
std::string OpenRobotsText();
std::string ClosedRobotsText();

// /llms.txt: what the site has and how to request it, in Markdown for language models. `host` is
// this server's name for clients.
std::string LlmsText(std::string_view site_name, std::string_view url, std::string_view host);

// OpenSearch 1.1: lets a browser search this site. `url` has no slash at its end.
std::string OpenSearchText(std::string_view site_name, std::string_view url);

// ---- the programs that a server hands out, /-/cli/

// A release archive of koya for Linux.
struct ClientProgram {
  std::string arch;        // "amd64" or "arm64"
  std::string path;        // of the archive
  std::string digest;      // SHA-256, in hex digits
  std::uint64_t size = 0;  // bytes
};

// /-/cli/install.sh: the shell script that installs one of the archives. `url` has no slash at its
// end. REQUIRES: there is a program.
std::string InstallScript(std::string_view version, std::string_view url,
                          const std::vector<ClientProgram>& programs);

}  // namespace koya::web
