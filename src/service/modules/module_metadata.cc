#include "service/modules/module_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archive/module_package.h"
#include "base/offload.h"
#include "catalog/contents_catalog.h"
#include "domain/module_record.h"
#include "domain/upstream_record.h"
#include "inspect/contents.h"
#include "inspect/module_json.h"
#include "markup/markdown.h"
#include "service/common/blob_io.h"
#include "service/common/reading.h"
#include "service/search/search_entries.h"
#include "wire/provider_docs.h"

namespace koya::service {
namespace {

// An archive that was published here is lost, not absent.
Error Lost(const ModuleSubject& subject, Error error) {
  if (!subject.IsPublishedHere() || error.kind != ErrorKind::kNotFound) return error;
  return {ErrorKind::kCorrupt,
          fmt::format("the archive of {} {} is missing from this server's storage: publish it "
                      "again, or have its operator restore it from a backup",
                      subject.address.ToString(), subject.version.ToString()),
          error.message};
}

// Bytes of memory for each byte of the text that is kept, as bench/readers.py measures them: each
// value of a hundred thousand inputs has a place of its own.
constexpr std::uint64_t kDecodedWeight = 7;

std::uint64_t WeightOf(ContentsRequest::Making making) {
  using enum ContentsRequest::Making;
  if (making == kDocument) return 5;
  return making == kAnswer ? 2 : 1;
}

// The memory for reading an archive is known only afterwards: this is the usual need of
// configurations, packed as well as text usually is.
constexpr std::uint64_t kUnreadWeight = 64;
constexpr std::uint64_t kMostUnread = 192U << 20U;

bool Serves(std::uint64_t reader, ContentsRequest::Freshness freshness) {
  return freshness == ContentsRequest::Freshness::kAny || reader >= inspect::kReaderVersion;
}

std::string DecodedKey(const ModuleArchive& archive) {
  return fmt::format("{} {} {} {}", archive.subject.host, archive.subject.address.ToString(),
                     archive.subject.version.ToString(), archive.digest.ToString());
}

}  // namespace

ModuleArchive ArchiveOf(const ModuleVersionRecord& record) {
  return {.subject = {.host = "", .address = record.address, .version = record.version},
          .digest = record.digest,
          .size = record.size,
          .description = record.description};
}

ModuleArchive ArchiveOf(const UpstreamModuleVersion& version) {
  return {.subject = {.host = version.module.host.ascii(),
                      .address = version.module.address,
                      .version = version.version},
          .digest = version.digest,
          .size = version.size,
          .description = {}};
}

SharedContents ModuleMetadata::FindShared(const std::string& key,
                                          ContentsRequest::Freshness freshness) {
  std::lock_guard lock(sharing_);
  auto found = shared_.find(key);
  SharedContents contents = found == shared_.end() ? nullptr : found->second.lock();
  return contents && Serves(contents->reader_version, freshness) ? contents : nullptr;
}

void ModuleMetadata::Share(const std::string& key, const SharedContents& contents) {
  std::lock_guard lock(sharing_);
  std::erase_if(shared_, [](const auto& each) { return each.second.expired(); });
  shared_.insert_or_assign(key, contents);
}

Task<std::uint64_t> ModuleMetadata::Measure(ModuleArchive archive, ContentsRequest wish) {
  Result<ContentsSize> kept = co_await catalog_.MeasureContents(archive.subject);
  if (!kept && kept.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(kept).error());
  }
  if (kept && Serves(kept->reader, wish.freshness)) {
    co_return (kDecodedWeight + WeightOf(wish.making)) * kept->bytes;
  }
  co_return std::min(kUnreadWeight * archive.size, kMostUnread);
}

Task<SharedContents> ModuleMetadata::FindContents(ModuleArchive archive, Reading reading,
                                                  ContentsRequest wish) {
  std::string key = DecodedKey(archive);
  if (std::shared_ptr<const Held> held = decoded_.Find(key)) {
    const std::uint64_t bytes = WeightOf(wish.making) * held->bytes;
    CO_RETURN_IF_ERROR(co_await reading.Claim(wish.beside + bytes));
    co_return held->contents;
  }
  ASSIGN_OR_CO_RETURN(std::uint64_t bytes, co_await Measure(archive, wish));
  CO_RETURN_IF_ERROR(co_await reading.Claim(wish.beside + bytes));
  if (SharedContents contents = FindShared(key, wish.freshness)) co_return contents;
  // The server's own work waits for no reader.
  if (reading.is_own()) co_return co_await FindKept(std::move(archive), std::move(reading), wish);
  if (wish.freshness == ContentsRequest::Freshness::kNewest) key += " newest";
  // Goes on for the others when the first of them leaves.
  Task<SharedContents> work = FindKept(std::move(archive), reading.Lasting(), wish);
  co_return co_await decoding_.DoHere(std::move(key), std::move(work));
}

Task<SharedContents> ModuleMetadata::FindKept(ModuleArchive archive, Reading reading,
                                              ContentsRequest wish) {
  Result<ContentsRecord> kept = co_await catalog_.FindContents(archive.subject);
  if (!kept && kept.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(kept).error());
  }
  if (kept && Serves(kept->reader, wish.freshness)) {
    Result<SharedContents> contents = co_await Decode(archive, reading, *std::move(kept));
    if (contents) co_return contents;  // else written by another program: read the archive
    if (contents.error().kind == ErrorKind::kUnavailable) co_return contents;
  }
  ConcurrencySlot turn(readings_, kMostReadings);
  if (!turn.got()) {
    co_return FailUnavailable(
        "this version's contents are not analyzed yet, and others are being analyzed: "
        "try again in a few seconds");
  }
  co_return co_await Read(std::move(archive), std::move(reading));
}

void ModuleMetadata::Remember(const ModuleArchive& archive, SharedContents contents,
                              const ContentsRecord& record) {
  std::string key = DecodedKey(archive);
  Share(key, contents);
  // Skips results of an older reader, which will be read again, and contents too large to be
  // cached.
  if (!IsNewest(record) || record.body.size() > kMostRemembered) return;
  auto held = std::make_shared<const Held>(std::move(contents), record.body.size());
  decoded_.Put(decoded_.TakeTicket(), std::move(key), "", std::move(held),
               kDecodedWeight * record.body.size());
}

Task<SharedContents> ModuleMetadata::Decode(ModuleArchive archive, Reading reading,
                                            ContentsRecord record) {
  auto decode = [&record]() -> Result<SharedContents> {
    ASSIGN_OR_RETURN(inspect::ModuleContents contents, inspect::DecodeContents(record.body));
    return std::make_shared<const inspect::ModuleContents>(std::move(contents));
  };
  ASSIGN_OR_CO_RETURN(SharedContents contents, co_await reading.Do(std::move(decode)));
  Remember(archive, contents, record);
  co_return contents;
}

Task<SharedContents> ModuleMetadata::ReadAgain(ModuleArchive archive) {
  co_return co_await Read(std::move(archive), OwnReading());
}

Task<SharedContents> ModuleMetadata::Read(ModuleArchive archive, Reading reading) {
  ASSIGN_OR_CO_RETURN(SharedContents contents, co_await ReadArchive(archive, reading));
  co_return co_await StoreContents(std::move(archive), std::move(contents), std::move(reading));
}

Task<SharedContents> ModuleMetadata::ReadArchive(ModuleArchive archive, Reading reading) {
  Result<LocalBlob> opened = co_await OpenLocalBlob(blobs_, pool_, archive.digest);
  if (!opened) co_return Failure(Lost(archive.subject, std::move(opened).error()));
  LocalBlob local = *std::move(opened);
  auto read = [this, &local, &archive]() -> Result<SharedContents> {
    // It was judged when it was published, by the rules of then; those of others are the wider.
    ASSIGN_OR_RETURN(ModuleInspection inspection,
                     InspectForeignModule(local.descriptor, local.size, limits_));
    return ReadModuleArchive(local.descriptor, local.size, inspection, limits_,
                             archive.subject.version);
  };
  co_return co_await reading.Do(std::move(read));
}

Task<void> ModuleMetadata::VisitFiles(ModuleArchive archive, Reading reading,
                                      ModuleFileVisitor visitor) {
  constexpr unsigned kAskAgainSoon = 2;  // seconds
  ConcurrencySlot turn(file_readings_, kMostFileReadings);
  if (!turn.got()) {
    co_return Failure(Error{ErrorKind::kUnavailable,
                            "files of other versions are being read: try again in a few seconds",
                            "", kAskAgainSoon});
  }
  Result<LocalBlob> opened = co_await OpenLocalBlob(blobs_, pool_, archive.digest);
  if (!opened) co_return Failure(Lost(archive.subject, std::move(opened).error()));
  LocalBlob local = *std::move(opened);
  auto read = [this, &local, &visitor]() -> Status {
    ASSIGN_OR_RETURN(ModuleInspection inspection,
                     InspectForeignModule(local.descriptor, local.size, limits_));
    return ReadModuleFiles(local.descriptor, local.size, inspection, limits_, visitor);
  };
  co_return co_await reading.Do(std::move(read));
}

Task<std::vector<ModuleFile>> ModuleMetadata::ReadFiles(ModuleArchive archive, Reading reading,
                                                        std::vector<std::string> paths,
                                                        std::size_t most) {
  CO_RETURN_IF_ERROR(co_await reading.Claim(reading.claimed() + paths.size() * most));
  std::vector<ModuleFile> files;
  auto is_wanted = [&paths](std::string_view path) {
    return std::ranges::find(paths, path) != paths.end();
  };
  ModuleFileVisitor visitor{
      .wanted = [&](std::string_view path) { return is_wanted(path) ? most : 0; },
      .take =
          [&](std::string path, std::uint64_t size, std::string bytes) {
            if (is_wanted(path)) files.push_back({std::move(path), size, std::move(bytes)});
          }};
  CO_RETURN_IF_ERROR(
      co_await VisitFiles(std::move(archive), std::move(reading), std::move(visitor)));
  co_return files;
}

// A late analysis leaves contents and index consistent.
Task<SharedContents> ModuleMetadata::StoreContents(ModuleArchive archive, SharedContents contents,
                                                   Reading reading) {
  auto make = [&archive, &contents]() -> Result<VersionExtras> {
    return VersionExtras{
        .contents = KeepContents(*contents),
        .entries = ModuleSearchEntries(archive.subject.address, archive.description, *contents)};
  };
  ASSIGN_OR_CO_RETURN(VersionExtras extras, co_await reading.Do(std::move(make)));
  Status kept = co_await catalog_.PutContents(std::move(archive.subject), std::move(extras));
  // The version may have been withdrawn meanwhile; the caller gets the contents all the same.
  if (!kept && kept.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(kept).error());
  }
  co_return contents;
}

namespace {

// Inputs or outputs by name, the first of each: a module may have a hundred thousand.
template <class Thing>
using ByName = std::unordered_map<std::string_view, const Thing*>;

template <class Thing>
ByName<Thing> NamesOf(const std::vector<Thing>& things) {
  ByName<Thing> names;
  names.reserve(things.size());
  for (const Thing& each : things) names.emplace(each.name, &each);
  return names;
}

// Those that `older` lacks came in `version`, and are looked for no further.
template <class Thing>
void FindAdded(const ByName<Thing>& older, const std::string& version,
               std::vector<const Thing*>& unadded, std::map<std::string, std::string>& added_in) {
  std::erase_if(unadded, [&](const Thing* each) {
    const bool is_new = !older.contains(each->name);
    if (is_new) added_in.emplace(each->name, version);
    return is_new;
  });
}

// Inputs and outputs whose history is not known yet, during the walk through the versions.
class HistoryWalk {
 public:
  // `newest` must outlive this.
  explicit HistoryWalk(const inspect::ModulePart& newest) {
    for (const inspect::Input& each : newest.inputs) {
      unadded_.push_back(&each);
      if (!each.required) unchanged_.push_back(&each);
    }
    for (const inspect::Output& each : newest.outputs) unadded_outputs_.push_back(&each);
  }

  // `older` comes right before `version`.
  void Compare(const inspect::ModulePart& older, const std::string& version) {
    const ByName<inspect::Input> inputs = NamesOf(older.inputs);
    FindAdded(inputs, version, unadded_, history_.added_in);
    FindAdded(NamesOf(older.outputs), version, unadded_outputs_, history_.outputs_added_in);
    std::erase_if(unchanged_, [&](const inspect::Input* each) {
      const auto before = inputs.find(each->name);
      if (before == inputs.end()) return true;  // it came then, and its default with it
      const bool changed =
          before->second->required || before->second->default_text != each->default_text;
      if (changed) history_.default_since.emplace(each->name, version);
      return changed;
    });
  }

  InputHistory Take() { return std::move(history_); }

 private:
  std::vector<const inspect::Input*> unadded_;
  std::vector<const inspect::Input*> unchanged_;
  std::vector<const inspect::Output*> unadded_outputs_;
  InputHistory history_;
};

}  // namespace

Task<InputHistory> FindInputHistory(ModuleMetadata& insides, Reading reading,
                                    SharedContents contents,
                                    std::vector<ModuleVersionRecord> versions) {
  HistoryWalk walk(contents->root);
  if (!contents->root.unread.empty()) co_return walk.Take();
  const std::uint64_t beside = reading.claimed();
  for (std::size_t i = 1; i < versions.size() && i <= kMostVersionsBefore; ++i) {
    Result<SharedContents> older =
        co_await insides.FindContents(ArchiveOf(versions[i]), reading, {.beside = beside});
    if (!older && IsTurnedAway(older.error())) co_return Failure(std::move(older).error());
    if (!older || !(*older)->root.unread.empty()) break;
    auto compare = [&]() -> Status {
      walk.Compare((*older)->root, versions[i - 1].version.ToString());
      return {};
    };
    CO_RETURN_IF_ERROR(co_await reading.Do(std::move(compare)));
  }
  co_return walk.Take();
}

namespace {

// Together with the closing tags of open elements it stays below 256 KiB.
constexpr std::size_t kMostReadmeHtml = 252U << 10;

}  // namespace

std::string TellContents(const SharedContents& contents) {
  return inspect::AnswerContents(*contents);
}

std::string TellWider(const SharedContents& contents) { return inspect::WiderAnswer(*contents); }

Result<std::string> TellReadme(const SharedContents& contents) {
  const inspect::Readme& readme = contents->root.readme;
  if (readme.file.empty()) {
    return FailNotFound("this version has no README: README.md at the module's root is one");
  }
  markup::MarkdownOptions options;
  options.most_output = kMostReadmeHtml;
  options.link_headings = true;
  markup::Rendered rendered = markup::RenderReadme(readme.file, readme.text, options);
  wire::Readme document{.file = readme.file,
                        .lang = readme.language,
                        .html = std::move(rendered.html),
                        .contents = {},
                        .truncated = readme.cut || rendered.cut_input || rendered.cut_output};
  for (markup::Heading& each : rendered.contents) {
    document.contents.push_back({each.level, std::move(each.name), std::move(each.text)});
  }
  return wire::Encode(document);
}

}  // namespace koya::service
