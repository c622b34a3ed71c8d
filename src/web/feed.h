// Atom 1.0 (RFC 4287): what was published, for readers of feeds. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"

namespace koya::web {

struct FeedEntry {
  std::string name;     // "acme/vpc/aws 1.2.0"
  std::string path;     // of its page; what the entry's id is made of, so it must never change
  std::string summary;  // ""
  std::string author;   // who published it; "": it is not told
  UnixSeconds published_at = 0;
};

struct Feed {
  std::string site_url;   // no slash at its end
  std::string site_host;  // what ids begin with
  std::string title;
  std::string path;                // of the feed
  std::string page_path;           // of the page that shows the same to people
  std::vector<FeedEntry> entries;  // newest first
};

// Texts may be anything; what XML cannot hold is replaced. A feed without entries is dated 1970.
std::string AtomText(const Feed& feed);

}  // namespace koya::web
