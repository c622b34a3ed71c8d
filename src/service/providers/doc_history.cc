#include "service/providers/doc_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "catalog/doc_versions_catalog.h"
#include "domain/provider_address.h"
#include "service/common/concurrency_slot.h"
#include "service/common/reading.h"
#include "service/providers/docs_index.h"
#include "service/providers/provider_docs.h"

namespace koya::service {
namespace {

using ReadingClock = std::chrono::steady_clock;

// The version shown and the versions before it that have data, newest first; empty if the version
// shown has none itself.
std::vector<DocVersion> DocLineOf(std::vector<DocVersion> versions, const Version& shown) {
  std::erase_if(versions, [&shown](const DocVersion& each) {
    const bool is_early = each.version.is_prerelease() && !shown.is_prerelease();
    return shown < each.version || is_early;
  });
  std::ranges::sort(versions, std::greater(), &DocVersion::version);
  auto begin = std::ranges::find(versions, shown, &DocVersion::version);
  versions.erase(versions.begin(), begin);
  if (versions.size() > DocHistories::kMostBefore + 1) {
    versions.erase(versions.begin() + DocHistories::kMostBefore + 1, versions.end());
  }
  return versions;
}

std::string PieceText(const std::optional<Digest>& archive, const std::optional<PackedPart>& part) {
  return fmt::format("{} {} {} {} {}\n", archive ? archive->hex() : "-", part ? part->begin : 0,
                     part ? part->packed : 0, part ? part->size : 0, part.has_value());
}

// All that a history is made of.
std::string HistoryKey(const std::vector<DocVersion>& line) {
  std::string text;
  for (const DocVersion& each : line) {
    text += each.version.ToString() + "\n" + PieceText(each.docs, each.page) +
            PieceText(each.schema, each.item) + each.item_name + "\n";
  }
  return Digest::Of(text).hex();
}

DocQuery DocQueryFor(const ProviderAddress& address, DocName name) {
  DocQuery query{.page = std::move(name), .item_kind = "", .item = "", .item_instead = ""};
  // Schemas describe only configurations in their own language, not cdktf ones.
  if (!query.page.language.empty()) return query;
  std::optional<SchemaNames> names = SchemaNamesOf(query.page, address.type());
  if (!names) return query;
  query.item_kind = std::move(names->kind);
  query.item_instead = names->names.back();
  query.item = std::move(names->names.front());
  return query;
}

}  // namespace

// The author's text, or what the schema says, in one version.
struct DocHistories::Piece {
  Version version;
  std::optional<Digest> archive;   // nullopt: unknown, the version was published without
  std::optional<PackedPart> part;  // nothing: it is not in there
  std::optional<Digest> content;   // once it was read

  static Piece PageOf(const DocVersion& of) { return {of.version, of.docs, of.page, {}}; }
  static Piece ItemOf(const DocVersion& of) { return {of.version, of.schema, of.item, {}}; }

  // Whether it came after `older`, for certain.
  bool IsNewAfter(const Piece& older) const { return part && older.archive && !older.part; }
  // Compares later versions with the last one that has data.
  void GoBackTo(Piece older) {
    if (older.archive) *this = std::move(older);
  }
};

// State of the walk through the versions, from the newest.
struct DocHistories::Walk {
  Piece page;
  Piece item;
  Version there;  // the oldest version so far that has it
  Reading reading;
  std::uint64_t beside = 0;  // bytes that it has claimed for something else
  bool may_read = false;
  ReadingClock::time_point until;
  bool compares = true;  // false: when it changed is known, or will not be
};

Task<void> DocHistories::Read(const Walk& walk, Piece& piece) {
  if (piece.content) co_return Status();
  if (!walk.may_read || ReadingClock::now() >= walk.until) {
    co_return Fail(ErrorKind::kUnavailable,
                   "too many requests are reading docs: try again in a moment");
  }
  const Reading reading = walk.reading;
  CO_RETURN_IF_ERROR(co_await reading.Claim(walk.beside + piece.part->packed + piece.part->size));
  const DocArchive archive{.digest = *piece.archive, .size = 0, .is_signed = false};
  ASSIGN_OR_CO_RETURN(std::string text, co_await docs_.ReadPart(archive, *piece.part, reading));
  auto hash = [&text]() -> Result<Digest> { return Digest::Of(text); };
  ASSIGN_OR_CO_RETURN(piece.content, co_await reading.Do(hash));
  co_return Status();
}

Task<bool> DocHistories::Differ(const Walk& walk, Piece& newer, Piece& older) {
  if (!newer.archive || !older.archive) co_return false;  // one of them has no data
  if (newer.part.has_value() != older.part.has_value()) co_return true;
  if (!newer.part) co_return false;
  if (newer.archive == older.archive && newer.part == older.part) co_return false;
  if (newer.part->size != older.part->size) co_return true;
  if (newer.part->size > kMostCompared) co_return false;
  CO_RETURN_IF_ERROR(co_await Read(walk, newer));
  CO_RETURN_IF_ERROR(co_await Read(walk, older));
  co_return newer.content != older.content;
}

Task<void> DocHistories::Compare(Walk& walk, Piece& page, Piece& item, DocHistory& history) {
  ASSIGN_OR_CO_RETURN(const bool other_page, co_await Differ(walk, walk.page, page));
  ASSIGN_OR_CO_RETURN(const bool other_item, co_await Differ(walk, walk.item, item));
  if (!other_page && !other_item) co_return Status();
  const bool by_page = other_page && (!other_item || walk.item.version < walk.page.version);
  history.changed_in = (by_page ? walk.page : walk.item).version.ToString();
  history.changed_since = page.version.ToString();
  walk.compares = false;
  co_return Status();
}

Task<DocHistory> DocHistories::ComputeHistory(std::vector<DocVersion> line, Reading reading) {
  DocHistory history;
  history.item = line.front().item_name;
  const ConcurrencySlot turn(readings_, bounds_.readings);
  const std::uint64_t beside = reading.claimed();
  Walk walk{.page = Piece::PageOf(line.front()),
            .item = Piece::ItemOf(line.front()),
            .there = line.front().version,
            .reading = std::move(reading),
            .beside = beside,
            .may_read = turn.got(),
            .until = ReadingClock::now() + bounds_.patience};
  if (!walk.page.part && !walk.item.part) co_return history;
  for (const DocVersion& each : std::span(line).subspan(1)) {
    Piece page = Piece::PageOf(each);
    Piece item = Piece::ItemOf(each);
    if (page.part || item.part) {
      if (walk.compares) {
        Status compared = co_await Compare(walk, page, item, history);
        if (!compared) walk.compares = history.is_whole = false;
      }
      walk.there = each.version;
      walk.page.GoBackTo(std::move(page));
      walk.item.GoBackTo(std::move(item));
    } else if (walk.page.IsNewAfter(page) || walk.item.IsNewAfter(item)) {
      history.added_in = walk.there.ToString();
      break;
    }
  }
  co_return history;
}

Task<DocHistory> DocHistories::FindHistory(ProviderAddress address, Version version, DocName name,
                                           Reading reading) {
  DocQuery query = DocQueryFor(address, std::move(name));
  ASSIGN_OR_CO_RETURN(std::vector<DocVersion> versions,
                      co_await catalog_.ListDocVersions(std::move(address), std::move(query)));
  std::vector<DocVersion> line = DocLineOf(std::move(versions), version);
  if (line.empty()) co_return DocHistory();
  std::string key = HistoryKey(line);
  if (std::shared_ptr<const DocHistory> kept = kept_.Find(key)) co_return *kept;
  const auto ticket = kept_.TakeTicket();
  ASSIGN_OR_CO_RETURN(DocHistory history,
                      co_await ComputeHistory(std::move(line), std::move(reading)));
  if (history.is_whole) {
    const std::uint64_t cost = sizeof(DocHistory) + history.item.size();
    kept_.Put(ticket, std::move(key), "docs", std::make_shared<const DocHistory>(history), cost);
  }
  co_return history;
}

}  // namespace koya::service
