#include "api/common/document_cache.h"

#include <utility>

#include "domain/topic.h"

namespace koya::api {
namespace {

// Everything of a document that is sent: its heads, and by its ETag its body.
Sha256Bytes ContentOf(const http::Document& document) {
  Sha256Hasher hasher;
  hasher.Update(document.etag);
  hasher.Update(document.head_identity);
  hasher.Update(document.head_gzip);
  return hasher.Finish();
}

std::string_view AsKey(const Sha256Bytes& content) {
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

}  // namespace

bool DocumentCache::IsFresh(const Lead& lead, UnixSeconds now) {
  return lead.fresh_until == 0 || (lead.put_at <= now && now < lead.fresh_until);
}

std::uint64_t DocumentCache::CostOf(const Lead& lead) { return sizeof(Lead) + lead.topic.size(); }

std::shared_ptr<const http::Document> DocumentCache::FindDocument(std::string_view key,
                                                                  std::optional<UnixSeconds> now) {
  auto fresh = [now](const Lead& lead) { return !now || IsFresh(lead, *now); };
  std::shared_ptr<const Lead> lead = paths_.Find(key, fresh);
  return lead ? documents_.Find(AsKey(lead->content)) : nullptr;
}

std::shared_ptr<const http::Document> DocumentCache::FindAgain(std::string_view key,
                                                               std::string spelled, Ticket ticket,
                                                               UnixSeconds now) {
  std::shared_ptr<const Lead> lead =
      paths_.Find(key, [now](const Lead& each) { return IsFresh(each, now); });
  auto document = lead ? documents_.Find(AsKey(lead->content)) : nullptr;
  if (document) paths_.Put(ticket, std::move(spelled), lead->topic, lead, CostOf(*lead));
  return document;
}

void DocumentCache::Put(Ticket ticket, std::string key, const std::string& topic,
                        std::shared_ptr<const http::Document> document, UnixSeconds now) {
  auto lead = std::make_shared<const Lead>(ContentOf(*document), topic, document->fresh_until, now);
  std::string content(AsKey(lead->content));
  std::uint64_t cost = document->cost();
  // Found by its content, a document is never stale: only the paths to it are.
  documents_.Put(documents_.TakeTicket(), std::move(content), topic, std::move(document), cost);
  const std::uint64_t lead_cost = CostOf(*lead);
  paths_.Put(ticket, std::move(key), topic, std::move(lead), lead_cost);
}

// No document's content is as long as an ETag with a whole digest in it.
std::shared_ptr<const http::Document> DocumentCache::FindFile(std::string_view etag) {
  return documents_.Find(etag);
}

void DocumentCache::PutFile(std::string etag, std::string topic, std::string bytes) {
  auto file = std::make_shared<http::Document>();
  file->body = std::move(bytes);
  std::uint64_t cost = file->cost();
  // The bytes of a digest are never stale: only the paths to them are.
  documents_.Put(documents_.TakeTicket(), std::move(etag), std::move(topic), std::move(file), cost);
}

void DocumentCache::Invalidate(std::string_view topic) {
  // Locations of files are plain only while their namespace is public.
  if (IsNamespaceTopic(topic)) topic = kEverything;
  paths_.Invalidate(topic);
  documents_.Invalidate(topic);
}

CacheCounters DocumentCache::Counters() const {
  CacheCounters paths = paths_.Counters();
  CacheCounters documents = documents_.Counters();
  return {.hits = documents.hits,
          .misses = paths.misses + documents.misses,
          .entries = documents.entries,
          .cost = paths.cost + documents.cost};
}

}  // namespace koya::api
