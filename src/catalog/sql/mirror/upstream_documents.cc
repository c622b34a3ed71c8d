#include "catalog/upstream_catalog.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/recent_uses.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/mirror/holdings.h"
#include "catalog/sql/mirror/upstream_row.h"
#include "domain/topic.h"
#include "domain/upstream_record.h"

namespace koya::sql {
namespace {

constexpr Statement kAddDocument{
    "add_upstream_document",
    "INSERT INTO upstream_document (document_key, body_digest, etag, last_modified, checked_at, "
    "changed_at) VALUES (:document_key, :body_digest, :etag, :last_modified, :checked_at, "
    ":changed_at) ON CONFLICT (document_key) DO NOTHING RETURNING id"};
constexpr Statement kAddBody{
    "add_upstream_document_body",
    "INSERT INTO upstream_document_body (document_id, body, release_times, first_seen) VALUES "
    "(:document_id, :body, :release_times, :first_seen)"};
constexpr Statement kLockDocument{
    "lock_upstream_document",
    "SELECT id, body_digest, checked_at, changed_at, "
    "CASE WHEN checked_at > {{now}} THEN 1 ELSE 0 END FROM upstream_document "
    "WHERE document_key = :document_key {{for update}}"};
constexpr Statement kSetDocument{
    "set_upstream_document",
    "UPDATE upstream_document SET body_digest = :body_digest, etag = :etag, "
    "last_modified = :last_modified, checked_at = :checked_at, changed_at = :changed_at "
    "WHERE id = :id"};
constexpr Statement kSetBody{
    "set_upstream_document_body",
    "UPDATE upstream_document_body SET body = :body WHERE document_id = :document_id"};
constexpr Statement kFindTimes{
    "find_release_times",
    "SELECT release_times, first_seen FROM upstream_document_body WHERE document_id = "
    ":document_id"};
constexpr Statement kSetTimes{"set_release_times",
                              "UPDATE upstream_document_body SET release_times = :release_times, "
                              "first_seen = :first_seen WHERE document_id = :document_id"};
// The values are the same one.
constexpr Statement kSetSource{
    "set_upstream_source",
    "UPDATE upstream_document_body SET source = :source WHERE document_id = :document_id AND "
    "source <> :other"};
constexpr Statement kConfirm{
    "confirm_upstream_document",
    "UPDATE upstream_document SET checked_at = :checked_at WHERE document_key = :document_key AND "
    "(checked_at < :before OR checked_at > {{now}})"};
constexpr Statement kFindDocument{
    "find_upstream_document",
    "SELECT b.body, b.release_times, b.first_seen, b.source, d.etag, d.last_modified, "
    "d.checked_at, d.changed_at "
    "FROM "
    "upstream_document d JOIN upstream_document_body b ON b.document_id = d.id WHERE "
    "d.document_key = :document_key"};

constexpr Statement kListKeys{
    "list_upstream_document_keys",
    "SELECT document_key FROM upstream_document WHERE document_key > :after AND document_key < "
    ":end ORDER BY document_key LIMIT :limit"};

// The part of a key after its kind: "registry.example.com/acme/demo".
Result<std::string_view> Subject(std::string_view key) {
  RETURN_IF_ERROR(CheckText("the document's key", key, kMostDocumentKey));
  std::size_t colon = key.find(':');
  if (colon != std::string_view::npos && colon > 0 && colon + 1 < key.size()) {
    return key.substr(colon + 1);
  }
  return FailInvalid("\"{}\" is not a document's key: write KIND:SUBJECT", Printable(key));
}

struct DocumentRow {
  std::int64_t id = 0;
  std::string body_digest;
  std::int64_t checked_at = 0;
  std::int64_t changed_at = 0;
  std::int64_t from_the_future = 0;  // checked by a clock that was ahead: it counts for nothing
};

bool InsertDocument(Session& session, const CachedDocument& document, const std::string& digest) {
  std::int64_t id = 0;
  {
    Query query(session, kAddDocument);
    query.Use(document.key).Use(digest);
    query.Use(KeptValidator(document.etag)).Use(KeptValidator(document.last_modified));
    query.Use(document.checked_at).Use(document.checked_at).Into(id);
    if (!query.Next()) return false;
  }
  Query query(session, kAddBody);
  const std::string times = document.times.ToString();
  const std::string first_seen = document.times.FirstSeenToString();
  query.Use(id).Use(document.body).Use(times).Use(first_seen).Run();
  return true;
}

// Fills `row`, and locks it until the transaction ends. False: there is none.
bool LockDocument(Session& session, const std::string& key, DocumentRow& row) {
  Query query(session, kLockDocument);
  query.Use(key).Into(row.id).Into(row.body_digest);
  query.Into(row.checked_at).Into(row.changed_at).Into(row.from_the_future);
  return query.Next();
}

ReleaseTimes FindTimes(Session& session, const DocumentRow& row) {
  std::string times, first_seen;
  Query query(session, kFindTimes);
  query.Use(row.id).Into(times).Into(first_seen).Next();
  return ReleaseTimes::Parse(times, first_seen);
}

// Stores `now` in place of `before`. Returns whether it is another.
bool SetTimes(Session& session, const DocumentRow& row, const ReleaseTimes& before,
              const ReleaseTimes& now) {
  if (now == before) return false;
  const std::string text = now.ToString();
  Query query(session, kSetTimes);
  const std::string first_seen = now.FirstSeenToString();
  query.Use(text).Use(first_seen).Use(row.id).Run();
  return true;
}

// Keeps what a document that is there already has become. Returns whether its body is another.
bool UpdateDocument(Session& session, const DocumentRow& row, const CachedDocument& document,
                    const std::string& digest) {
  const bool changed = row.body_digest != digest;
  {
    Query query(session, kSetDocument);
    query.Use(digest);
    query.Use(KeptValidator(document.etag)).Use(KeptValidator(document.last_modified));
    query.Use(document.checked_at).Use(changed ? document.checked_at : row.changed_at).Use(row.id);
    query.Run();
  }
  if (!changed) return false;
  Query query(session, kSetBody);
  query.Use(document.body).Use(row.id).Run();
  return true;
}

Result<ReleaseTimes> PutDocument(Session& session, const CachedDocument& document) {
  ASSIGN_OR_RETURN(std::string_view subject, Subject(document.key));
  RETURN_IF_ERROR(CheckText("the document", document.body, kMostDocument));
  RETURN_IF_ERROR(CheckText("the release times", document.times.ToString(), kMostDocument));
  const std::string digest = Digest::Of(document.body).hex();
  if (InsertDocument(session, document, digest)) {
    AppendChange(session, MirrorTopic(subject));
    return document.times;
  }
  DocumentRow row;
  LockDocument(session, document.key, row);
  if (row.checked_at > document.checked_at && row.from_the_future == 0) {
    return FindTimes(session, row);
  }
  const bool changed = UpdateDocument(session, row, document, digest);
  const ReleaseTimes before = FindTimes(session, row);
  ReleaseTimes times = before;
  times.Merge(document.times);
  // The document's began with the stored ones: they lack versions that left the list long ago.
  if (times.ToString().size() > kMostReleaseTimes) times = document.times;
  const bool added = SetTimes(session, row, before, times);
  if (changed || added) AppendChange(session, MirrorTopic(subject));
  return times;
}

Status AddDetails(Session& session, const std::string& key, const ReleaseTimes& times,
                  const std::optional<SourceRepository>& source) {
  ASSIGN_OR_RETURN(std::string_view subject, Subject(key));
  RETURN_IF_ERROR(CheckText("the release times", times.ToString(), kMostDocument));
  DocumentRow row;
  if (!LockDocument(session, key, row)) return {};
  if (source) {
    const std::string text = source->ToString();
    Query query(session, kSetSource);
    query.Use(text).Use(row.id).Use(text).Run();
  }
  const ReleaseTimes before = FindTimes(session, row);
  ReleaseTimes now = before;
  now.Merge(times);
  // That details state no time changes no document.
  if (SetTimes(session, row, before, now) && times.HasTimes()) {
    AppendChange(session, MirrorTopic(subject));
  }
  return {};
}

Status HoldDocument(Session& session, const CachedDocument& document, const Digest& bytes,
                    std::uint64_t size) {
  RETURN_IF_ERROR(CheckHeldSize("the document's bytes", size, true));
  HoldBlob(session, bytes, size, document.checked_at);
  RETURN_IF_ERROR(PutDocument(session, document));
  return {};
}

Status ConfirmDocument(Session& session, const std::string& key, UnixSeconds checked_at) {
  if (!IsStorable(key)) return {};
  Query query(session, kConfirm);
  query.Use(checked_at).Use(key).Use(checked_at).Run();
  return {};
}

Result<CachedDocument> FindDocument(Session& session, const std::string& key) {
  CachedDocument document;
  if (IsStorable(key)) {
    Query query(session, kFindDocument);
    std::string times, first_seen, source;
    query.Use(key).Into(document.body).Into(times).Into(first_seen).Into(source);
    query.Into(document.etag).Into(document.last_modified);
    query.Into(document.checked_at).Into(document.changed_at);
    if (query.Next()) {
      document.key = key;
      document.times = ReleaseTimes::Parse(times, first_seen);
      if (!source.empty()) {
        ASSIGN_OR_RETURN(document.source, Stored(SourceRepository::Parse(source)));
      }
      return document;
    }
  }
  return FailNotFound("\"{}\" is not stored here: fetch it from its registry first",
                      Printable(key));
}

Result<std::vector<std::string>> ListDocumentKeys(Session& session, const std::string& kind,
                                                  const std::string& after, std::uint64_t limit) {
  std::vector<std::string> keys;
  if (kind.empty() || !IsStorable(kind) || !IsStorable(after)) return keys;
  std::string end = kind;  // the first text behind those that begin so
  ++end.back();
  std::string key;
  Query query(session, kListKeys);
  query.Use(std::max(kind, after)).Use(end).Use(static_cast<std::int64_t>(limit)).Into(key);
  while (query.Next()) keys.push_back(key);
  return keys;
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<CachedDocument> UpstreamDocuments::FindDocument(std::string key) {
  return transactions_.Read(&sql::FindDocument, std::move(key));
}

Task<std::vector<std::string>> UpstreamDocuments::ListDocumentKeys(std::string kind,
                                                                   std::string after,
                                                                   std::uint64_t limit) {
  return transactions_.Read(&sql::ListDocumentKeys, std::move(kind), std::move(after),
                            std::min<std::uint64_t>(limit, 1000));
}

Task<ReleaseTimes> UpstreamDocuments::PutDocument(CachedDocument document) {
  return transactions_.Write(&sql::PutDocument, std::move(document));
}

Task<void> UpstreamDocuments::AddDetails(std::string key, ReleaseTimes times,
                                         std::optional<SourceRepository> source) {
  return transactions_.Write(&sql::AddDetails, std::move(key), std::move(times), std::move(source));
}

Task<void> UpstreamDocuments::HoldDocument(CachedDocument document, Digest bytes,
                                           std::uint64_t size) {
  Status held = co_await transactions_.Write(&sql::HoldDocument, std::move(document), bytes, size);
  if (held) uses_.DropUse(bytes);
  co_return held;
}

Task<void> UpstreamDocuments::ConfirmDocument(std::string key, UnixSeconds checked_at) {
  return transactions_.Write(&sql::ConfirmDocument, std::move(key), checked_at);
}

}  // namespace koya
