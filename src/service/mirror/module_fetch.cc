#include "service/mirror/module_fetch.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "archive/module_package.h"
#include "base/file_io.h"
#include "blobs/blob_store.h"
#include "blobs/fill.h"
#include "catalog/upstream_catalog.h"
#include "obs/log.h"
#include "service/common/freeze.h"
#include "service/mirror/fetch_lease.h"
#include "service/mirror/mirror_counter.h"

namespace koya::service {
namespace {

// Half a second is as good as at once for what took seconds to fetch.
constexpr std::chrono::milliseconds kOthersPause(500);

std::string Name(const UpstreamModule& module, const Version& version) {
  return fmt::format("{} {}", module.Key(), version.ToString());
}

}  // namespace

// The archive that will be served, written but not yet part of the store.
struct ModuleFetch::Repacked {
  StagedBlob staged;
  ForeignRepack report;
};

Task<ModuleArrival> ModuleFetch::Fetch(UpstreamModule module, Version version, std::uint64_t ended,
                                       Time deadline, Error late) {
  std::string key = Name(module, version);
  Task<ModuleArrival> fetch = FetchOnce(std::move(module), std::move(version), ended);
  co_return co_await flights_.Do(std::move(key), std::move(fetch), deadline, std::move(late));
}

Task<ModuleArrival> ModuleFetch::FetchOnce(UpstreamModule module, Version version,
                                           std::uint64_t ended) {
  Result<ModuleArrival> brought = co_await FetchAtMostOnce(module, version, ended);
  if (brought) co_return brought;
  Error error = std::move(brought).error();
  if (error.kind == ErrorKind::kTimeout) error.kind = ErrorKind::kUpstreamTimeout;
  // Too large, or no module at all: that is what upstream sends, not what the client asks for.
  if (error.kind == ErrorKind::kTooLarge || error.kind == ErrorKind::kRefused) {
    error.kind = ErrorKind::kBadUpstream;
    error.message = fmt::format("{}: {}", Name(module, version), error.message);
  }
  bool stopped = context_.pools.modules.stopping().stop_requested();
  if (error.kind != ErrorKind::kNotFound && !stopped) {
    ++counters_.failures;
    context_.log.Failure("a module could not be fetched: " + Name(module, version), error);
    context_.log.TakeLimit(error);
  }
  co_return Failure(std::move(error));
}

// As it is stored, when all of it is here.
Task<std::optional<UpstreamModuleVersion>> ModuleFetch::FindWhole(const UpstreamModule& module,
                                                                  const Version& version) {
  Result<UpstreamModuleVersion> landed =
      co_await context_.catalog.FindUpstreamModule(module, version);
  if (!landed || !landed->held) co_return std::nullopt;
  Result<std::shared_ptr<Blob>> blob = co_await context_.blobs.Open(landed->digest);
  if (!blob) co_return std::nullopt;
  co_return *std::move(landed);
}

Task<ModuleArrival> ModuleFetch::FetchAtMostOnce(const UpstreamModule& module,
                                                 const Version& version, std::uint64_t ended) {
  Time deadline = std::chrono::steady_clock::now() + options_.bounds.time;
  if (flights_.landed() != ended) {
    // Perhaps this one, since the catalog was asked: upstream is not asked twice.
    ASSIGN_OR_CO_RETURN(std::optional<UpstreamModuleVersion> whole,
                        co_await FindWhole(module, version));
    if (whole) co_return ModuleArrival{*std::move(whole), nullptr};
  }
  if (context_.cluster == nullptr) co_return co_await FetchFromUpstream(module, version, deadline);
  FetchLease lease(*context_.cluster, "fetch:" + Name(module, version), context_.log);
  co_return co_await lease.GiveBackAfter(FetchUnderLease(lease, module, version, deadline));
}

// Fetches it unless another server has done so, or is doing so now. The digest is not known before,
// so that there is nothing to read along.
Task<ModuleArrival> ModuleFetch::FetchUnderLease(FetchLease& lease, const UpstreamModule& module,
                                                 const Version& version, Time deadline) {
  std::stop_token stop = context_.pools.modules.stopping();
  while (co_await lease.Acquire() != FetchLease::LeaseState::kAlone) {
    ASSIGN_OR_CO_RETURN(std::optional<UpstreamModuleVersion> whole,
                        co_await FindWhole(module, version));
    if (whole) co_return ModuleArrival{*std::move(whole), nullptr};
    if (lease.IsOurs()) break;
    co_await PauseForOthers(stop, kOthersPause);
    if (stop.stop_requested()) co_return upstream::GivenUp();
    if (std::chrono::steady_clock::now() >= deadline) {
      co_return Fail(ErrorKind::kUpstreamTimeout,
                     fmt::format("another server takes too long to fetch {}; try again in a minute",
                                 Name(module, version)));
    }
  }
  co_return co_await FetchFromUpstream(module, version, deadline);
}

Task<ModuleArrival> ModuleFetch::FetchFromUpstream(const UpstreamModule& module,
                                                   const Version& version, Time deadline) {
  FairPool& pool = context_.pools.modules;
  ASSIGN_OR_CO_RETURN(FairPool::Slot place, co_await pool.Enter(module.host.ascii(), deadline));
  upstream::Deadline patience{deadline, pool.stopping()};
  ASSIGN_OR_CO_RETURN(upstream::LocatedModule located,
                      source_.Locate(module.host, module.address, version, patience));
  // From here on it is another host that is waited for.
  place.Release();
  ASSIGN_OR_CO_RETURN(place, co_await pool.Enter(located.authority, deadline));
  CO_RETURN_IF_ERROR(options_.room.Check());
  ASSIGN_OR_CO_RETURN(ScratchFile package, ScratchFile::Create(options_.scratch_folder));
  upstream::ModuleDelivery delivery{package.descriptor(), options_.scratch_folder, options_.bounds,
                                    std::move(patience)};
  DiskReservation room(options_.room);
  delivery.on_start = [this](std::optional<std::uint64_t> length) {
    return options_.room.Check(length.value_or(0));
  };
  delivery.on_bytes = [&room](std::uint64_t bytes) { return room.Add(bytes); };
  ASSIGN_OR_CO_RETURN(upstream::FetchedModule fetched, source_.Fetch(located, delivery));
  counters_.bytes += fetched.size;
  // The repack takes about as much once more.
  CO_RETURN_IF_ERROR(options_.room.Check(fetched.size));
  ASSIGN_OR_CO_RETURN(Repacked repacked, Repack(package.descriptor(), fetched, deadline));
  for (const auto* warnings : {&fetched.warnings, &repacked.report.left_out}) {
    for (const std::string& warning : *warnings) {
      context_.log.Warn("upstream module",
                        {{"module", Name(module, version)}, {"warning", warning}});
    }
  }
  UnixSeconds now = context_.clock.Now();
  UpstreamModuleVersion record{.module = module,
                               .version = version,
                               .kind = ArchiveKind::kTarGz,
                               .digest = repacked.staged.info.digest,
                               .size = repacked.staged.info.size,
                               .source = std::move(fetched.source),
                               .held = true,
                               .seen_at = now,
                               .used_at = now};
  const std::uint64_t size = record.size;
  Result<ModuleArrival> kept = co_await StoreArchive(std::move(record), std::move(repacked.staged));
  if (kept && context_.counter != nullptr) context_.counter->RecordFetched(size);
  co_return kept;
}

Result<ModuleFetch::Repacked> ModuleFetch::Repack(int package,
                                                  const upstream::FetchedModule& fetched,
                                                  Time until) {
  ArchiveLimits limits = options_.archive;
  limits.until = until;
  std::stop_token stopping = context_.pools.modules.stopping();
  limits.stop = &stopping;
  ASSIGN_OR_RETURN(std::unique_ptr<BlobWriter> writer, context_.blobs.Create());
  DiskReservation room(options_.room);
  ByteSink sink = [&writer, &room](std::span<const std::byte> bytes) -> Status {
    RETURN_IF_ERROR(room.Add(bytes.size()));
    return writer->Write(bytes);
  };
  ASSIGN_OR_RETURN(ForeignRepack report,
                   RepackForeignModule(package, fetched.size, fetched.folder, limits, sink));
  ASSIGN_OR_RETURN(BlobInfo info, writer->Finish());
  return Repacked{{std::move(writer), info}, std::move(report)};
}

Status ModuleFetch::RefuseOther(const UpstreamModuleVersion& first,
                                const UpstreamModuleVersion& now) {
  if (first.digest == now.digest) return {};
  ++counters_.changed;
  return FailBadUpstream(
      "{} has changed upstream: its first archive had SHA-256 {}, now it would "
      "be {}; the first one stays, and nothing else is served",
      Name(now.module, now.version), first.digest.hex(), now.digest.hex());
}

// Stores data first, the record last; bytes that differ from the first seen are not stored at all.
Task<ModuleArrival> ModuleFetch::StoreArchive(UpstreamModuleVersion record, StagedBlob staged) {
  Result<UpstreamModuleVersion> first =
      co_await context_.catalog.FindUpstreamModule(record.module, record.version);
  if (first) CO_RETURN_IF_ERROR(RefuseOther(*first, record));
  if (co_await IsFrozen(context_.freeze)) {
    record.held = false;
    co_return co_await ServeStaged(std::move(record), std::move(staged));
  }
  Status stored = co_await staged.writer->Commit();
  // A stop ends it in the same way: that is not a store that is away.
  const bool stopped = context_.pools.modules.stopping().stop_requested();
  if (!stored && stored.error().kind == ErrorKind::kUnavailable && !stopped) {
    context_.log.Failure(
        "a module is served, but cannot be stored while the store is unreachable: " +
            Name(record.module, record.version),
        stored.error());
    co_return co_await ServeUnkept(std::move(record), std::move(staged));
  }
  CO_RETURN_IF_ERROR(std::move(stored));
  ASSIGN_OR_CO_RETURN(UpstreamModuleVersion kept, co_await context_.catalog.PinModule(record));
  // Another server on the same database may have been quicker.
  CO_RETURN_IF_ERROR(RefuseOther(kept, record));
  ++counters_.modules;
  co_return ModuleArrival{std::move(kept), nullptr};
}

// Pins the version by its digest only: the next request fetches it again.
Task<ModuleArrival> ModuleFetch::ServeUnkept(UpstreamModuleVersion record, StagedBlob staged) {
  record.held = false;
  ASSIGN_OR_CO_RETURN(UpstreamModuleVersion kept, co_await context_.catalog.PinModule(record));
  CO_RETURN_IF_ERROR(RefuseOther(kept, record));
  co_return co_await ServeStaged(std::move(kept), std::move(staged));
}

// Serves the repacked file, which is not stored.
Task<ModuleArrival> ModuleFetch::ServeStaged(UpstreamModuleVersion version, StagedBlob staged) {
  const BlobInfo info = staged.info;
  std::shared_ptr<BlobWriter> writer = std::move(staged.writer);
  const int descriptor = writer->staged_file();
  auto fill = std::make_shared<Fill>();
  fill->Start({info.digest, std::move(writer), descriptor, info.size});
  fill->Grow(info.size);
  fill->Succeed();
  fill->End();
  ASSIGN_OR_CO_RETURN(Fill::Opened opened, co_await fill->OpenAnnounced());
  co_return ModuleArrival{std::move(version), std::move(opened.blob)};
}

}  // namespace koya::service
