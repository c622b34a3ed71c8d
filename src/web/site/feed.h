// Renders an Atom 1.0 feed (RFC 4287) of published versions. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"

namespace koya::web {

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

}  // namespace koya::web
