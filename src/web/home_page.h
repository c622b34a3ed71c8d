// What is at "/" for people: what is here, how to find it, and how to begin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/host_name.h"
#include "domain/search_record.h"
#include "web/page_frame.h"
#include "web/view_parts.h"

namespace koya::web {

struct FetchedPackage {
  bool is_provider = false;
  std::string address;
  std::uint64_t fetches = 0;
};

// A registry that the mirror asks, and how it is.
struct HomeUpstream {
  std::string host;
  bool is_fresh = true;  // false: stored copies are served, since it does not answer
};

struct HomeNamespace {
  std::string name;        // as it is shown
  std::string title = {};  // as its owners write it; "": none
};

struct HomePackage {
  SearchHit hit;
  ShownStep step = ShownStep::kNone;  // of its version from the one before; kNone: it is not known
};

// What of the reader's ends soon, or has ended: what ends first comes first.
struct HomeWaiting {
  struct Token {
    std::string name;
    UnixSeconds ends_at = 0;
  };
  struct Key {
    std::string ns;
    std::string id;
    UnixSeconds ends_at = 0;
  };
  std::vector<Token> tokens;
  bool has_more_tokens = false;
  std::vector<Key> keys;
  bool has_more_keys = false;
  UnixSeconds now = 0;
};

struct HomePage {
  std::string host;         // of this registry, as clients name it
  std::string url;          // the same with its scheme; no slash at its end
  std::string tagline;      // "": a sentence of ours
  bool is_stranger = true;  // nobody is signed in
  // Strangers may read nothing here, and this is one: they are shown the way in, and nothing else.
  bool is_closed = false;
  // There is no administrator yet: whoever comes is shown where one is made.
  bool is_new = false;
  // The catalog is away: what is here cannot be told, which is not the same as nothing.
  bool is_away = false;
  std::vector<std::string> examples;         // of searches, as they are typed
  std::vector<HomePackage> recent;           // newest first
  std::vector<FetchedPackage> fetched_most;  // most first, in the last 30 days
  std::vector<HomeNamespace> namespaces;
  bool namespaces_are_own = false;  // those that the reader looks after
  bool has_more_namespaces = false;
  HomeWaiting waiting;
  std::vector<HomeUpstream> upstreams;  // none: nothing is told of the mirror
  // Those whose providers and modules the reader's client gets through here; none: how to is left
  // out.
  std::vector<HostName> registries;
};
std::string RenderHome(const PageFrame& frame, const HomePage& page);

}  // namespace koya::web
