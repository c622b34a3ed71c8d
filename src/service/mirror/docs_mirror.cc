#include "service/mirror/docs_mirror.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "blobs/blob_store.h"
#include "catalog/upstream_catalog.h"
#include "domain/mirrored_subject.h"
#include "domain/topic.h"
#include "obs/log.h"
#include "service/common/blob_io.h"
#include "service/common/freeze.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/cached_index.h"
#include "service/mirror/context.h"
#include "service/mirror/gate.h"
#include "service/mirror/pull_policy.h"
#include "service/providers/docs_pages.h"
#include "service/search/index_queue.h"
#include "service/search/search_entries.h"
#include "upstream/provider_source.h"

namespace koya::service {
namespace {

constexpr std::chrono::seconds kListLife = std::chrono::hours(24);
constexpr std::uint64_t kMostHeldPage = 16ULL << 20;  // far more than a page may have

Failure DamagedPage(const Digest& digest) {
  return Fail(ErrorKind::kCorrupt,
              "this page of docs is damaged in this server's storage, and fetching it from its "
              "registry is not allowed",
              "blob " + digest.ToString());
}

DocName DocNameOf(const wire::ForeignDoc& doc) { return {doc.language, doc.kind, doc.name}; }

DocRecord RecordOf(const wire::ForeignDoc& doc) {
  return {.name = DocNameOf(doc),
          .title = doc.title.empty() ? doc.name : doc.title,
          .subcategory = doc.subcategory,
          .description = doc.description,
          .deprecated = false,
          .part = {}};
}

// Path under which pages of docs are shown: links between them lead there.
std::string ShownAt(const MirroredDocs& docs) {
  return fmt::format("/-/mirror/providers/{}/{}/docs", docs.provider.Key(),
                     docs.version.ToString());
}

RenderedDoc RenderMirroredDoc(const std::string& text, const DocName& name,
                              const wire::ForeignDocs& list, const std::string& base) {
  std::vector<DocName> names;
  names.reserve(list.docs.size());
  for (const wire::ForeignDoc& each : list.docs) names.push_back(DocNameOf(each));
  return RenderDoc(text, name, names, base);
}

}  // namespace

// ---- the list

std::string MirroredDocs::Key() const { return provider.Key() + "@" + version.ToString(); }

std::string DocLists::DocumentKey(const Subject& docs) {
  return MirroredDocsKey(docs.provider, docs.version);
}
std::string DocLists::Encode(const Document& document) { return wire::Encode(document); }
Result<wire::ForeignDocs> DocLists::Decode(const std::string& body) {
  return wire::Decode<wire::ForeignDocs>(body);
}
Result<FetchedList<wire::ForeignDocs>> DocLists::FetchList(const Subject& docs,
                                                           const upstream::Validators& held,
                                                           const upstream::Deadline& patience) {
  ASSIGN_OR_RETURN(
      upstream::FetchedDocs fetched,
      source.List(docs.provider.host, docs.provider.address, docs.version, held, patience));
  const std::size_t skipped = fetched.list.skipped;
  return FetchedList<Document>{fetched.unchanged, std::move(fetched.list), skipped,
                               std::move(fetched.validators)};
}

// Docs of a release hardly change. Missing docs are expected soon: registries read a release some
// time after they list it.
std::chrono::seconds DocLists::Freshness(const CachedDocument& held, std::chrono::seconds usual) {
  static const std::string kNone = Encode({});
  return held.body == kNone ? usual : std::max(usual, kListLife);
}

// ---- requests

// A list, and whether its pages may be fetched from upstream.
struct DocsMirror::Found {
  MirroredDocs docs;
  CachedList<wire::ForeignDocs> list;
  DocsAge age;
  bool ask = false;
};

struct DocsMirror::Wish {
  MirroredDocs docs;
  wire::ForeignDoc page;
  std::string Key() const { return fmt::format("provider-doc:{}/{}", docs.Key(), page.place); }
};

DocsMirror::DocsMirror(MirrorContext context, upstream::DocsSource* source,
                       DocsMirrorOptions options)
    : context_(context), source_(source), options_(std::move(options)) {
  if (source_ == nullptr) return;
  lists_ =
      std::make_unique<CachedIndex<DocLists>>(context_, DocLists{*source_}, options_.freshness);
}

DocsMirror::~DocsMirror() = default;

const ListCounters& DocsMirror::list_counters() const {
  static const ListCounters kNone;
  return lists_ ? lists_->counters() : kNone;
}

std::string DocsMirror::Topic(const UpstreamProvider& provider, const Version& version) {
  return MirrorTopic(provider.Key() + "@" + version.ToString());
}

Status DocsMirror::CheckMirrored(const UpstreamProvider& provider) const {
  if (source_ == nullptr) {
    return FailNotFound(
        "docs of other registries' providers are not mirrored here (mirror.docs is off)");
  }
  if (source_->HostOf(provider.host)) return {};
  return FailNotFound(
      "{} has no docs API that Koya knows: docs are mirrored of "
      "registry.terraform.io and registry.opentofu.org",
      provider.host.display());
}

Task<DocsMirror::Found> DocsMirror::FindDocs(UpstreamProvider provider, Version version,
                                             Time deadline) {
  CO_RETURN_IF_ERROR(CheckMirrored(provider));
  CO_RETURN_IF_ERROR(co_await context_.gate.CheckSubject(provider.Key()));
  MirroredDocs docs{provider, std::move(version), *source_->HostOf(provider.host)};
  Status pulled = context_.policy.CheckHost(provider.host, provider.Key());
  const UnixSeconds asked_at = context_.clock.Now();
  Task<CachedList<wire::ForeignDocs>> read =
      pulled ? lists_->Read(docs, deadline) : lists_->ReadHeld(docs);
  Result<CachedList<wire::ForeignDocs>> list = co_await std::move(read);
  if (!list) {
    const bool unknown = list.error().kind == ErrorKind::kNotFound;
    co_return Failure(!pulled && unknown ? std::move(pulled).error() : std::move(list).error());
  }
  // Upstream said it just now, or said that it is still the one: searches find these pages.
  const bool current = !list->stale && list->checked_at >= asked_at;
  if (current && context_.index != nullptr) {
    context_.index->Add(MirroredSubject(provider, docs.version));
  }
  const bool none = list->document->docs.empty();
  DocsAge age{list->stale, list->checked_at,
              none ? options_.freshness : std::max(options_.freshness, kListLife)};
  co_return Found{std::move(docs), *std::move(list), age, pulled.has_value()};
}

Task<MirroredDocList> DocsMirror::List(UpstreamProvider provider, Version version) {
  const Time deadline = std::chrono::steady_clock::now() + options_.patience;
  ASSIGN_OR_CO_RETURN(Found found,
                      co_await FindDocs(std::move(provider), std::move(version), deadline));
  MirroredDocList answer{.list = {}, .age = found.age};
  answer.list.pages.reserve(found.list.document->docs.size());
  for (const wire::ForeignDoc& each : found.list.document->docs) {
    answer.list.pages.push_back(RecordOf(each));
  }
  co_return answer;
}

Task<MirroredDocPage> DocsMirror::Page(UpstreamProvider provider, Version version, DocName name) {
  const Time deadline = std::chrono::steady_clock::now() + options_.patience;
  ASSIGN_OR_CO_RETURN(Found found,
                      co_await FindDocs(std::move(provider), std::move(version), deadline));
  const std::vector<wire::ForeignDoc>& pages = found.list.document->docs;
  const auto page = std::ranges::find(pages, name, DocNameOf);
  if (page == pages.end()) {
    co_return FailNotFound("the docs of {} {} have no page {}/{}", found.docs.provider.Key(),
                           found.docs.version.ToString(), Printable(name.kind, 40),
                           Printable(name.name));
  }
  Wish wish{found.docs, *page};
  ASSIGN_OR_CO_RETURN(Text text, co_await ReadPage(std::move(wish), found.ask, deadline));
  const std::string base = ShownAt(found.docs);
  auto render = [&] { return RenderMirroredDoc(*text, name, *found.list.document, base); };
  RenderedDoc rendered = co_await Offload(context_.pools.workers, render);
  MirroredDocPage answer{.page = {}, .age = found.age};
  answer.page.record = {.name = std::move(name),
                        .title = std::move(rendered.title),
                        .subcategory = std::move(rendered.subcategory),
                        .description = std::move(rendered.description),
                        .deprecated = rendered.deprecated,
                        .part = {}};
  answer.page.html = std::move(rendered.html);
  answer.page.contents = std::move(rendered.contents);
  co_return answer;
}

// ---- pages

Task<DocsMirror::Text> DocsMirror::ReadPage(Wish wish, bool ask, Time deadline) {
  const std::uint64_t landed = flights_.landed();
  std::string key = wish.Key();
  Result<Text> held = co_await ReadHeld(key);
  if (held) co_return held;
  // A damaged or missing page, or one in a store that is away, is fetched from its registry.
  const ErrorKind kind = held.error().kind;
  const bool gone = kind == ErrorKind::kNotFound;
  if (!gone && kind != ErrorKind::kCorrupt && kind != ErrorKind::kUnavailable) co_return held;
  if (!ask) {
    Status pulled = context_.policy.CheckHost(wish.docs.provider.host, wish.docs.provider.Key());
    co_return Failure(gone && !pulled ? std::move(pulled).error() : std::move(held).error());
  }
  Error late = TooLate(wish.docs.Key());
  Task<Text> fetch = Fetch(std::move(wish), landed, deadline);
  co_return co_await flights_.Do(std::move(key), std::move(fetch), deadline + kAnswerGrace,
                                 std::move(late));
}

Task<DocsMirror::Text> DocsMirror::ReadHeld(std::string key) {
  ASSIGN_OR_CO_RETURN(CachedDocument held, co_await context_.catalog.FindDocument(std::move(key)));
  ASSIGN_OR_CO_RETURN(Digest digest, Digest::Parse(held.body));
  ASSIGN_OR_CO_RETURN(std::shared_ptr<Blob> blob, co_await context_.blobs.Open(digest));
  if (blob->size() > kMostHeldPage) co_return DamagedPage(digest);
  ASSIGN_OR_CO_RETURN(std::string text, co_await ReadBytes(*blob));
  auto is_whole = [&text, &digest] { return Digest::Of(text) == digest; };
  const bool whole = co_await Offload(context_.pools.workers, is_whole);
  if (!whole) co_return DamagedPage(digest);
  context_.uses.TouchCached(digest, context_.clock.Now());
  co_return std::make_shared<const std::string>(std::move(text));
}

// Performs one exchange with upstream and caches the page.
Task<DocsMirror::Text> DocsMirror::Fetch(Wish wish, std::uint64_t landed, Time deadline) {
  FairPool& pool = context_.pools.documents;
  ASSIGN_OR_CO_RETURN(FairPool::Slot place, co_await pool.Enter(wish.docs.host.ascii(), deadline));
  if (flights_.landed() != landed) {
    // Perhaps this one, since the catalog was asked: upstream is not asked twice.
    Result<Text> held = co_await ReadHeld(wish.Key());
    if (held) co_return held;
  }
  const UpstreamProvider& provider = wish.docs.provider;
  Result<std::string> text = source_->Page(provider.host, provider.address, wish.docs.version,
                                           wish.page, {deadline, pool.stopping()});
  if (!text) {
    if (text.error().kind != ErrorKind::kNotFound) ++counters_.failures;
    context_.log.TakeLimit(text.error());
    co_return Failure(std::move(text).error());
  }
  ++counters_.pages;
  co_await Keep(wish, *text);
  co_return std::make_shared<const std::string>(*std::move(text));
}

// A page that cannot be cached is served all the same, and fetched again next time.
Awaitable<void> DocsMirror::Keep(const Wish& wish, const std::string& text) {
  if (text.empty()) co_return;
  if (co_await IsFrozen(context_.freeze)) co_return;
  Status kept = co_await Store(wish, text);
  if (kept) co_return;
  context_.log.Failure(fmt::format("a page of the docs of {} is not stored", wish.docs.Key()),
                       kept.error());
}

Task<void> DocsMirror::Store(const Wish& wish, const std::string& text) {
  CO_RETURN_IF_ERROR(options_.room.Check(text.size()));
  ASSIGN_OR_CO_RETURN(StagedBlob staged, StageText(context_.blobs, text));
  CO_RETURN_IF_ERROR(co_await staged.writer->Commit());
  const UnixSeconds now = context_.clock.Now();
  CachedDocument document{.key = wish.Key(),
                          .body = staged.info.digest.ToString(),
                          .etag = {},
                          .last_modified = {},
                          .checked_at = now,
                          .changed_at = now};
  co_return co_await context_.catalog.HoldDocument(std::move(document), staged.info.digest,
                                                   staged.info.size);
}

}  // namespace koya::service
