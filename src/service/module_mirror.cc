#include "service/module_mirror.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "wire/modules.h"

namespace koya::service {
namespace {

std::string VersionsKey(const UpstreamModule& module) { return "module-versions:" + module.Key(); }

Failure NotHere(const UpstreamModule& module) {
  return Fail(ErrorKind::kNotFound,
              fmt::format("{} is not mirrored here, and its registry is not one that may be pulled "
                          "from (upstream.hosts)",
                          module.Key()));
}

Result<MirroredModuleVersions> Decode(const HeldList& list) {
  ASSIGN_OR_RETURN(wire::ModuleVersions document, wire::DecodeModuleVersions(list.body));
  return MirroredModuleVersions{std::move(document.versions), list.stale, list.checked_at};
}

}  // namespace

bool ModuleMirror::MayPull(const HostName& host) const {
  return std::ranges::find(options_.hosts, host) != options_.hosts.end();
}

Status ModuleMirror::Check(const UpstreamModule& module) const {
  if (options_.enabled) return policy_.Check(module);
  return Fail(ErrorKind::kNotFound,
              "modules of other registries are not mirrored here (mirror.modules is off)");
}

Task<MirroredModuleVersions> ModuleMirror::ListVersions(UpstreamModule module) {
  CO_RETURN_IF_ERROR(Check(module));
  Result<HeldList> list = Fail(ErrorKind::kNotFound, "");
  if (MayPull(module.host)) {
    ListRequest request{.key = VersionsKey(module),
                        .topic = ModuleMirrorTopic(module),
                        .name = module.Key(),
                        .fetch = [this, module](const upstream::Validators& held) {
                          return FetchVersions(module, held);
                        }};
    list = co_await lists_.Read(std::move(request));
  } else {
    list = co_await lists_.ReadHeld(VersionsKey(module));
    if (!list && list.error().kind == ErrorKind::kNotFound) list = NotHere(module);
  }
  if (list) co_return Decode(*list);
  co_return co_await ListPinned(std::move(module), std::move(list).error());
}

// Modules whose list was never seen, but of which versions are kept: imported ones, mostly.
Task<MirroredModuleVersions> ModuleMirror::ListPinned(UpstreamModule module, Error why) {
  ASSIGN_OR_CO_RETURN(std::vector<Version> versions,
                      co_await catalog_.ListUpstreamModuleVersions(std::move(module)));
  if (versions.empty()) co_return Failure(std::move(why));
  MirroredModuleVersions list{.versions = {}, .stale = why.kind != ErrorKind::kNotFound};
  for (const Version& version : versions) list.versions.push_back(version.ToString());
  co_return list;
}

// Blocks.
Result<FetchedList> ModuleMirror::FetchVersions(const UpstreamModule& module,
                                                const upstream::Validators& held) {
  ASSIGN_OR_RETURN(upstream::FetchedModuleVersions fetched,
                   source_.Versions(module.host, module.address, held, {}));
  if (fetched.skipped > 0) {
    log_.Warn("upstream lists versions that no client would take; they are left out",
              {{"module", module.Key()}, {"skipped", fetched.skipped}});
  }
  wire::ModuleVersions document{.source = module.address.ToString(), .versions = {}};
  for (const Version& version : fetched.versions) document.versions.push_back(version.ToString());
  return FetchedList{.unchanged = fetched.unchanged,
                     .body = wire::EncodeModuleVersions(document),
                     .validators = std::move(fetched.validators)};
}

Task<UpstreamModuleVersion> ModuleMirror::Fetch(UpstreamModule module, Version version,
                                                std::chrono::steady_clock::time_point deadline) {
  if (!MayPull(module.host)) co_return NotHere(module);
  std::string name = fmt::format("{}@{}", module.Key(), version.ToString());
  std::function<Result<UpstreamModuleVersion>()> fetch = [this, module, version] {
    return fetch_.Fetch(module, version);
  };
  Error late{ErrorKind::kUnavailable,
             fmt::format("{} is still being fetched from its registry; ask again in {} seconds",
                         name, options_.retry_after),
             {}};
  late.retry_after = options_.retry_after;
  co_return co_await flights_.DoUntil(std::move(name), std::move(fetch), deadline, std::move(late));
}

Task<UpstreamModuleVersion> ModuleMirror::FindVersion(UpstreamModule module, Version version) {
  CO_RETURN_IF_ERROR(Check(module));
  Result<UpstreamModuleVersion> pinned = co_await catalog_.FindUpstreamModule(module, version);
  if (pinned || pinned.error().kind != ErrorKind::kNotFound) co_return pinned;
  auto deadline = std::chrono::steady_clock::now() + options_.patience;
  co_return co_await Fetch(std::move(module), std::move(version), deadline);
}

Task<OpenMirroredModule> ModuleMirror::Open(UpstreamModule module, Version version) {
  CO_RETURN_IF_ERROR(Check(module));
  Result<UpstreamModuleVersion> pinned = co_await catalog_.FindUpstreamModule(module, version);
  if (pinned && pinned->held) {
    Result<std::shared_ptr<Blob>> blob = co_await blobs_.Open(pinned->digest);
    if (blob) {
      UnixSeconds now = clock_.Now();
      Status noted = co_await catalog_.TouchHeld(pinned->digest, now);
      uses_.Settle(noted, now);
      co_return OpenMirroredModule{*std::move(pinned), *std::move(blob)};
    }
    // It was removed behind our back; the same bytes can be fetched again.
    if (blob.error().kind != ErrorKind::kNotFound) {
      co_return std::unexpected(std::move(blob).error());
    }
  } else if (!pinned && pinned.error().kind != ErrorKind::kNotFound) {
    co_return std::unexpected(std::move(pinned).error());
  }
  // Clients wait for archives without an end; the fetch has one.
  ASSIGN_OR_CO_RETURN(UpstreamModuleVersion fetched,
                      co_await Fetch(std::move(module), std::move(version),
                                     std::chrono::steady_clock::time_point::max()));
  ASSIGN_OR_CO_RETURN(std::shared_ptr<Blob> blob, co_await blobs_.Open(fetched.digest));
  co_return OpenMirroredModule{std::move(fetched), std::move(blob)};
}

}  // namespace koya::service
