// Renders the home page "/": the packages here, how to search them, and how to start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/credential_record.h"
#include "domain/host_name.h"
#include "domain/namespace_record.h"
#include "domain/search_record.h"
#include "domain/signing_key_record.h"
#include "web/common/page_frame.h"
#include "web/common/view.h"

namespace koya::web {

struct FetchedPackage {
  bool is_provider = false;
  std::string address;
  std::uint64_t fetches = 0;
};

// An upstream of the mirror and its state.
struct HomeUpstream {
  std::string host;
  bool is_fresh = true;  // false: stored copies are served, since it does not answer
};

struct HomePackage {
  SearchHit hit;
  ShownStep step = ShownStep::kNone;  // from the version before; kNone: not known
  std::string publisher = {};         // "": not known
};

// The reader's tokens and keys that expire soon or have expired, the earliest first.
struct HomeWaiting {
  std::vector<TokenRecord> tokens;
  bool has_more_tokens = false;
  std::vector<EndingKey> keys;
  bool has_more_keys = false;
};

struct HomePage {
  std::string host;          // of this registry, as clients name it
  std::string url;           // the same with its scheme; no slash at its end
  std::string tagline;       // "": a sentence of ours
  bool is_anonymous = true;  // no user is signed in
  // The reader is anonymous, and anonymous callers may read nothing here: only the way to sign in
  // is shown.
  bool is_closed = false;
  // There is no administrator yet: the page links to first run.
  bool is_new = false;
  // The catalog is unavailable: the contents are unknown, which differs from an empty registry.
  bool is_away = false;
  // The server hands out the koya program at /-/cli/.
  bool hands_out_koya = false;
  UnixSeconds now = 0;
  std::vector<std::string> examples;         // of searches, as typed
  std::vector<HomePackage> recent;           // newest first
  std::vector<FetchedPackage> fetched_most;  // most first, in the last 30 days
  std::vector<NamespaceRecord> namespaces;
  bool namespaces_are_own = false;  // those of the signed-in reader
  bool has_more_namespaces = false;
  HomeWaiting waiting;
  std::vector<HomeUpstream> upstreams;  // empty: the mirror is not shown
  // Registries whose providers and modules the reader's client gets through this one; empty: the
  // instructions are left out.
  std::vector<HostName> registries;
};
std::string RenderHome(const PageFrame& frame, const HomePage& page);

}  // namespace koya::web
