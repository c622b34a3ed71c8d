// One API call: the exchange, who is calling, and the use cases a handler may ask.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/document_cache.h"
#include "api/topic_cache.h"
#include "auth/principal.h"
#include "base/clock.h"
#include "base/offload.h"
#include "base/task.h"
#include "http/router.h"
#include "obs/log.h"
#include "service/kept_list.h"
#include "service/mirror_check.h"
#include "service/mirror_import.h"
#include "service/mirror_stock.h"
#include "service/module_mirror.h"
#include "service/modules.h"
#include "service/provider_mirror.h"
#include "service/providers.h"
#include "service/publish_module.h"
#include "service/publish_provider.h"
#include "service/published_check.h"
#include "service/signing_keys.h"
#include "service/tokens.h"

namespace koya::api {

// What a path leads to: an archive, and what its answers say. The store keeps blobs open as long as
// it has descriptors to spare: this does not.
struct ServedArchive {
  std::weak_ptr<Blob> blob;
  std::string etag;  // quoted
  std::string media_type;
  // From then on it is opened anew, which notes that it is in use; 0: whenever the store likes.
  UnixSeconds kept_until = 0;
};

using ArchiveCache = TopicCache<ServedArchive>;

// What handlers work with. Built by app/, outlives the server.
struct Services {
  service::Modules& modules;
  service::ModulePublisher& publisher;
  service::Providers& providers;
  service::ProviderPublisher& provider_publisher;
  service::SigningKeys& signing_keys;
  service::Tokens& tokens;
  service::KeptList kept;
  DocumentCache& documents;
  ArchiveCache& archives;
  WorkerPool& workers;  // for encoding large documents
  Logger& log;          // what changed, and by whom
  const Clock& clock;
  std::uint64_t module_upload_bytes = 0;  // the routes' body limits
  std::uint64_t provider_zip_bytes = 0;
  // The external base URL, "https://registry.example.com:8443", without a slash at the end. Set
  // before the server answers anybody.
  std::string url;
  // Other registries' providers. Set before the server answers anybody.
  service::ProviderMirror* mirror = nullptr;
  service::ModuleMirror* module_mirror = nullptr;  // likewise their modules
  // What is kept of other registries, for its administrators. Likewise.
  service::MirrorStock* stock = nullptr;
  service::MirrorImport* import = nullptr;
  service::MirrorCheck* check = nullptr;
  service::PublishedCheck* published_check = nullptr;  // looks for damage, as `check` does
  // The names under which this server's own providers and modules are asked for in /mirror/ and
  // /origin/. Set before the server answers anybody.
  std::vector<HostName> own_names;
  // Its host and port, as they stand in addresses.
  std::string_view host() const;
  bool IsOwn(const HostName& host) const;
};

struct Call {
  http::Exchange& exchange;
  Services& services;
  auth::Principal principal;  // empty name: anonymous

  const http::Request& request() const { return exchange.request; }
  std::string_view parameter(std::size_t i) const { return exchange.parameters[i]; }
  // The address in the path's first three parameters. Fails: kNotFound: on reading, an address
  // that cannot exist does not exist.
  Result<ModuleAddress> AddressFromPath() const;
  // The same of a provider, in the first two.
  Result<ProviderAddress> ProviderFromPath() const;
  // A parameter read leniently. Fails: kNotFound.
  Result<Version> VersionFromPath(std::size_t position = 3) const;
};

using HandlerFunction = Task<http::Response> (*)(Call&);

// What is kept for a request, or nullopt: then the handler makes it. Never waits.
using ReadyFunction = std::optional<http::Response> (*)(const http::Exchange&, Services&);

}  // namespace koya::api
