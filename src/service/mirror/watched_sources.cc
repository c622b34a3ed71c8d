#include "service/mirror/watched_sources.h"

#include <chrono>

#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "service/mirror/upstream_states.h"

namespace koya::service {
namespace {

using WatchTime = std::chrono::steady_clock;

// A request that ended because all callers had left, or because the server stops, is neither an
// answer nor a failure.
template <class Answer>
Answer Watched(UpstreamStates& states, const HostName& host, const upstream::Deadline& patience,
               auto&& ask) {
  const WatchTime::time_point begun = WatchTime::now();
  Answer answer = ask();
  if (answer || answer.error().kind == ErrorKind::kNotFound) {
    states.NoteAnswer(
        host, std::chrono::duration_cast<std::chrono::milliseconds>(WatchTime::now() - begun));
  } else if (!patience.stop.stop_requested()) {
    states.NoteFailure(host, answer.error());
  }
  return answer;
}

}  // namespace

Result<upstream::FetchedVersions> WatchedProviderSource::Versions(
    const HostName& host, const ProviderAddress& address, const upstream::Validators& held,
    const upstream::Deadline& patience) {
  return Watched<Result<upstream::FetchedVersions>>(
      states_, host, patience, [&] { return source_.Versions(host, address, held, patience); });
}

Result<upstream::FetchedDownload> WatchedProviderSource::Download(
    const HostName& host, const ProviderAddress& address, const Version& version,
    const Platform& platform, const upstream::Deadline& patience) {
  return Watched<Result<upstream::FetchedDownload>>(states_, host, patience, [&] {
    return source_.Download(host, address, version, platform, patience);
  });
}

Result<upstream::FetchedModuleVersions> WatchedModuleSource::Versions(
    const HostName& host, const ModuleAddress& address, const upstream::Validators& held,
    const upstream::Deadline& patience) {
  return Watched<Result<upstream::FetchedModuleVersions>>(
      states_, host, patience, [&] { return source_.Versions(host, address, held, patience); });
}

Result<upstream::LocatedModule> WatchedModuleSource::Locate(const HostName& host,
                                                            const ModuleAddress& address,
                                                            const Version& version,
                                                            const upstream::Deadline& patience) {
  return Watched<Result<upstream::LocatedModule>>(
      states_, host, patience, [&] { return source_.Locate(host, address, version, patience); });
}

}  // namespace koya::service
