#include "catalog/sql/operate/blob_ledger.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/storage_record.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr std::size_t kMostObjects = 1000;

constexpr Statement kRenewStored{
    "renew_stored_object",
    "UPDATE blob_object SET at = {{now}} WHERE digest = :digest AND state = 'stored' "
    "RETURNING name, digest, size"};
// The rows are locked in one order, so that two who refer to the same blobs wait for each other
// instead of crosswise. It must be an UPDATE that renews: see docs/adr/0034.
constexpr Statement kRenewObjects{
    "renew_stored_objects",
    "UPDATE blob_object SET at = {{now}} WHERE name {{is among}}SELECT name FROM blob_object "
    "WHERE state = 'stored' AND digest {{is among}}SELECT element FROM {{elements of}} :digests "
    "{{end of elements}}{{end of among}} ORDER BY digest {{for update}}{{end of among}}"};
constexpr Statement kAddArriving{
    "add_arriving_object",
    "INSERT INTO blob_object (name, digest, size, state, at) VALUES (:name, :digest, :size, "
    "'arriving', {{now}}) ON CONFLICT (name) DO NOTHING"};

// An object by its name, if it is in this state. PostgreSQL must not see which: it would go through
// all of that state's index while it takes it for empty.
#define KOYA_NAMED(state) " WHERE name = :name AND state || '' = '" state "'"

constexpr Statement kTakeArrived{
    "take_arrived_object",
    "DELETE FROM blob_object" KOYA_NAMED("arriving") " RETURNING name, digest, size"};
constexpr Statement kTakeLost{"take_lost_object", "DELETE FROM blob_object" KOYA_NAMED(
                                                      "lost") " RETURNING name, digest, size"};
constexpr Statement kRenewNamed{
    "renew_named_object",
    "UPDATE blob_object SET at = {{now}}" KOYA_NAMED("stored") " RETURNING name, digest, size"};
// Returns the row that was there when another was quicker: it waits for who is at it now.
constexpr Statement kAddStored{
    "add_stored_object",
    "INSERT INTO blob_object (name, digest, size, state, at) VALUES (:name, :digest, :size, "
    "'stored', {{now}}) ON CONFLICT (digest) WHERE state = 'stored' DO UPDATE SET "
    "at = excluded.at RETURNING name, digest, size"};
constexpr Statement kAddLeaving{
    "add_leaving_object",
    "INSERT INTO blob_object (name, digest, size, state, at) VALUES (:name, :digest, :size, "
    "'leaving', {{now}})"};
constexpr Statement kLeaveLost{
    "leave_lost_objects",
    "UPDATE blob_object SET state = 'leaving', at = {{now}} WHERE digest = :digest AND "
    "state = 'lost'"};

// Each state has its index, so each is asked for by itself.
constexpr Statement kFindStored{
    "find_stored_object",
    "SELECT name, digest, size, 0 AS rank, at FROM blob_object WHERE digest = :digest AND "
    "state = 'stored' UNION ALL SELECT name, digest, size, 1, at FROM blob_object "
    "WHERE digest = :same_digest AND state = 'lost' ORDER BY rank, at DESC LIMIT 1"};
constexpr Statement kListStored{
    "list_stored_objects",
    "SELECT name, digest, size FROM (SELECT name, digest, size FROM blob_object WHERE "
    "state = 'stored' AND digest > :after ORDER BY digest LIMIT :limit) AS stored UNION ALL "
    "SELECT name, digest, size FROM (SELECT name, digest, size FROM blob_object WHERE "
    "state = 'lost' AND digest > :same_after ORDER BY digest LIMIT :same_limit) AS lost "
    "ORDER BY digest LIMIT :last_limit"};
constexpr Statement kLose{
    "lose_object", "UPDATE blob_object SET state = 'lost', at = {{now}}" KOYA_NAMED("stored")};

// Skips objects that are being renewed, until the next time.
#define KOYA_LOCK_TO_LEAVE(state)                                                              \
  "SELECT name, digest, size FROM blob_object WHERE state = " state                            \
  " AND at < (SELECT {{now}}) - :grace AND digest {{is among}}SELECT element FROM {{elements " \
  "of}} "                                                                                      \
  ":digests {{end of elements}}{{end of among}} {{for update skip locked}}"
constexpr Statement kLockStored{"lock_stored_to_leave", KOYA_LOCK_TO_LEAVE("'stored'")};
constexpr Statement kLockLost{"lock_lost_to_leave", KOYA_LOCK_TO_LEAVE("'lost'")};
constexpr Statement kLeave{
    "leave_objects",
    "UPDATE blob_object SET state = 'leaving', at = {{now}} WHERE name {{is among}}"
    "SELECT element FROM {{elements of}} :names {{end of elements}}{{end of among}}"};
constexpr Statement kFindOlder{
    "find_older_objects",
    "SELECT element FROM {{elements of}} :digests {{end of elements}} WHERE EXISTS ("
    "SELECT 1 FROM blob_object WHERE digest = elements.element AND state = 'stored' "
    "AND at < (SELECT {{now}}) - :grace UNION ALL "
    "SELECT 1 FROM blob_object WHERE digest = elements.element AND state = 'lost' "
    "AND at < (SELECT {{now}}) - :same_grace)"};
constexpr Statement kFindUnknown{
    "find_unknown_objects",
    "SELECT element FROM {{elements of}} :names {{end of elements}} WHERE NOT EXISTS "
    "(SELECT 1 FROM blob_object WHERE name = elements.element)"};
constexpr Statement kGiveUp{
    "give_up_arrivals",
    "UPDATE blob_object SET state = 'leaving', at = {{now}} WHERE name {{is among}}"
    "SELECT name FROM blob_object WHERE state = 'arriving' AND at < (SELECT {{now}}) - :grace "
    "{{for update skip locked}}{{end of among}}"};
constexpr Statement kListLeaving{
    "list_leaving_objects",
    "SELECT name, digest, size FROM blob_object WHERE state = 'leaving' AND "
    "at < (SELECT {{now}}) - :trash_for ORDER BY at, name LIMIT :limit"};
constexpr Statement kForgetObject{"forget_object", "DELETE FROM blob_object" KOYA_NAMED("leaving")};

constexpr auto kObjectColumns = Columns<BlobObject>(
    [] { return BlobObject{.digest = Blank()}; }, Column<&BlobObject::name>("name"),
    Column<&BlobObject::digest>("digest"), Column<&BlobObject::size>("size"));

// Of a statement that has one parameter and returns one row at most.
Result<std::optional<BlobObject>> ReadOne(Session& session, const Statement& statement,
                                          const std::string& parameter) {
  Query query(session, statement);
  query.Use(parameter);
  ASSIGN_OR_RETURN(std::vector<BlobObject> objects, ReadRecords(query, kObjectColumns));
  if (objects.empty()) return std::nullopt;
  return std::move(objects.front());
}

std::string JsonDigests(const std::vector<Digest>& digests) {
  std::vector<std::string> texts;
  texts.reserve(digests.size());
  for (const Digest& digest : digests) texts.push_back(digest.hex());
  return JsonList(texts);
}

std::vector<Digest> Distinct(std::vector<Digest> digests) {
  std::ranges::sort(digests);
  const auto repeated = std::ranges::unique(digests);
  digests.erase(repeated.begin(), repeated.end());
  return digests;
}

std::int64_t BoundedLimit(std::size_t limit) {
  return static_cast<std::int64_t>(std::min(limit, kMostObjects));
}

Failure GoneMeanwhile(std::string detail) {
  Failure failure = Fail(ErrorKind::kUnavailable,
                         "the bytes were uploaded, and removed as unused before they were "
                         "recorded: nothing was recorded; repeat the command",
                         std::move(detail));
  failure.error().retry_after = 1;
  return failure;
}

// Of one object.
Failure GivenUp(std::string detail) {
  Failure failure = GoneMeanwhile(std::move(detail));
  failure.error().kind = ErrorKind::kNotFound;
  return failure;
}

Result<std::optional<BlobObject>> Arrive(Session& session, const BlobObject& object) {
  RETURN_IF_ERROR(CheckStorable("the object's name", object.name));
  ASSIGN_OR_RETURN(std::optional<BlobObject> stored,
                   ReadOne(session, kRenewStored, object.digest.hex()));
  if (stored) return stored;
  Query query(session, kAddArriving);
  if (UseRecord(query, kObjectColumns, object).Run() != 0) return std::nullopt;
  return Fail(ErrorKind::kInternal, "an object's name was given twice: repeat the command",
              object.name);
}

// Adds the missing row of `object`: as the holder of its digest, or as leaving when another object
// holds it. Returns the holder. Lost objects of the digest become leaving: they are looked for
// before, since a transaction that regains one has locked it before it comes here, and after, since
// the holder may have been lost while its row was waited for.
Result<BlobObject> Hold(Session& session, const BlobObject& object) {
  Query(session, kLeaveLost).Use(object.digest.hex()).Run();
  std::vector<BlobObject> holders;
  {
    Query query(session, kAddStored);
    UseRecord(query, kObjectColumns, object);
    ASSIGN_OR_RETURN(holders, ReadRecords(query, kObjectColumns));
  }
  if (holders.empty()) {
    return Fail(ErrorKind::kInternal, "the object could not be stored", object.name);
  }
  if (holders.front().name != object.name) {
    Query query(session, kAddLeaving);
    UseRecord(query, kObjectColumns, object).Run();
  }
  Query(session, kLeaveLost).Use(object.digest.hex()).Run();
  return std::move(holders.front());
}

Result<BlobObject> Settle(Session& session, const std::string& name) {
  if (!IsStorable(name)) return GivenUp("no such object");
  ASSIGN_OR_RETURN(std::optional<BlobObject> arrived, ReadOne(session, kTakeArrived, name));
  if (!arrived) {
    ASSIGN_OR_RETURN(std::optional<BlobObject> settled, ReadOne(session, kRenewNamed, name));
    if (settled) return *std::move(settled);
    return GivenUp(name + " was given up");
  }
  return Hold(session, *arrived);
}

Result<BlobObject> FindStored(Session& session, const Digest& digest) {
  const std::string hex = digest.hex();
  std::int64_t rank = 0, at = 0;
  Query query(session, kFindStored);
  query.Use(hex).Use(hex);
  RecordReader reader(query, kObjectColumns);
  query.Into(rank).Into(at);
  if (query.Next()) {
    ASSIGN_OR_RETURN(BlobObject object, reader.Read());
    object.lost = rank != 0;
    return object;
  }
  return Fail(ErrorKind::kNotFound, "no object is stored of " + digest.ToString());
}

Result<std::vector<BlobObject>> ListStored(Session& session, const std::optional<Digest>& after,
                                           std::size_t limit) {
  const std::string hex = after ? after->hex() : std::string();
  const std::int64_t most = BoundedLimit(limit);
  Query query(session, kListStored);
  query.Use(hex).Use(most).Use(hex).Use(most).Use(most);
  return ReadRecords(query, kObjectColumns);
}

Status Lose(Session& session, const std::string& name) {
  if (!IsStorable(name)) return {};
  Query(session, kLose).Use(name).Run();
  return {};
}

Status Regain(Session& session, const std::string& name) {
  if (!IsStorable(name)) return {};
  ASSIGN_OR_RETURN(std::optional<BlobObject> lost, ReadOne(session, kTakeLost, name));
  if (!lost) return {};
  RETURN_IF_ERROR(Hold(session, *lost));
  return {};
}

// Locks those that are old enough, stored or lost, until the transaction ends.
Result<std::vector<BlobObject>> LockToLeave(Session& session, const std::vector<Digest>& digests,
                                            std::chrono::seconds grace) {
  const std::string asked = JsonDigests(digests);
  std::vector<BlobObject> locked;
  for (const Statement* statement : {&kLockStored, &kLockLost}) {
    Query query(session, *statement);
    query.Use(std::int64_t{grace.count()}).Use(asked);
    ASSIGN_OR_RETURN(std::vector<BlobObject> objects, ReadRecords(query, kObjectColumns));
    std::ranges::move(objects, std::back_inserter(locked));
  }
  return locked;
}

// Most of them have references and are not locked, since a lock writes their rows. The query after
// the locks decides: it sees all references recorded before them (docs/adr/0034).
Result<std::vector<Digest>> Leave(Session& session, const std::vector<Digest>& digests,
                                  std::chrono::seconds grace) {
  ASSIGN_OR_RETURN(std::vector<Digest> going, FindUnreferenced(session, digests));
  if (going.empty()) return going;
  ASSIGN_OR_RETURN(std::vector<BlobObject> locked, LockToLeave(session, going, grace));
  going.clear();
  for (const BlobObject& object : locked) going.push_back(object.digest);
  if (going.empty()) return going;
  ASSIGN_OR_RETURN(going, FindUnreferenced(session, Distinct(std::move(going))));
  std::ranges::sort(going);
  std::vector<std::string> names;
  for (BlobObject& object : locked) {
    if (std::ranges::binary_search(going, object.digest)) names.push_back(std::move(object.name));
  }
  if (!names.empty()) Query(session, kLeave).Use(JsonList(names)).Run();
  return going;
}

Result<std::vector<Digest>> FindOlder(Session& session, const std::vector<Digest>& digests,
                                      std::chrono::seconds grace) {
  std::vector<Digest> older;
  std::string hex;
  Query query(session, kFindOlder);
  query.Use(JsonDigests(digests)).Use(std::int64_t{grace.count()}).Use(std::int64_t{grace.count()});
  query.Into(hex);
  while (query.Next()) {
    ASSIGN_OR_RETURN(Digest digest, Stored(Digest::Parse(hex)));
    older.push_back(digest);
  }
  return Distinct(std::move(older));
}

Result<std::uint64_t> GiveUpArrivals(Session& session, std::chrono::seconds grace) {
  Query query(session, kGiveUp);
  return static_cast<std::uint64_t>(query.Use(std::int64_t{grace.count()}).Run());
}

Result<std::vector<BlobObject>> ListLeaving(Session& session, std::chrono::seconds trash_for,
                                            std::size_t limit) {
  Query query(session, kListLeaving);
  query.Use(std::int64_t{trash_for.count()}).Use(BoundedLimit(limit));
  return ReadRecords(query, kObjectColumns);
}

Result<std::vector<std::string>> FindUnknown(Session& session,
                                             const std::vector<std::string>& names) {
  std::vector<std::string> unknown;
  std::string name;
  Query query(session, kFindUnknown);
  query.Use(JsonList(names)).Into(name);
  while (query.Next()) unknown.push_back(name);
  return unknown;
}

Status Forget(Session& session, const std::string& name) {
  if (!IsStorable(name)) return {};
  Query(session, kForgetObject).Use(name).Run();
  return {};
}

}  // namespace

Status RenewBlobs(Session& session, const std::vector<Digest>& digests) {
  if (!session.keeps_ledger()) return {};
  const std::vector<Digest> distinct = Distinct(digests);
  if (distinct.empty()) return {};
  Query query(session, kRenewObjects);
  const std::int64_t renewed = query.Use(JsonDigests(distinct)).Run();
  if (std::cmp_equal(renewed, distinct.size())) return {};
  return GoneMeanwhile("of " + std::to_string(distinct.size()) + " blobs " +
                       std::to_string(renewed) + " are stored");
}

Task<std::optional<BlobObject>> SqlBlobLedger::Arrive(BlobObject object) {
  return transactions_.Write(&sql::Arrive, std::move(object));
}

Task<BlobObject> SqlBlobLedger::CompleteUpload(std::string name) {
  return transactions_.Write(&sql::Settle, std::move(name));
}

Task<BlobObject> SqlBlobLedger::FindStored(Digest digest) {
  return transactions_.Read(&sql::FindStored, digest);
}

Task<std::vector<BlobObject>> SqlBlobLedger::ListStored(std::optional<Digest> after,
                                                        std::size_t limit) {
  return transactions_.Read(&sql::ListStored, after, limit);
}

Task<void> SqlBlobLedger::Lose(std::string name) {
  return transactions_.Write(&sql::Lose, std::move(name));
}

Task<void> SqlBlobLedger::Regain(std::string name) {
  return transactions_.Write(&sql::Regain, std::move(name));
}

Task<std::vector<Digest>> SqlBlobLedger::MarkLeaving(std::vector<Digest> digests,
                                                     std::chrono::seconds grace) {
  return transactions_.Write(&sql::Leave, std::move(digests), grace);
}

Task<std::vector<Digest>> SqlBlobLedger::FindOlder(std::vector<Digest> digests,
                                                   std::chrono::seconds grace) {
  return transactions_.Read(&sql::FindOlder, std::move(digests), grace);
}

Task<std::uint64_t> SqlBlobLedger::GiveUpArrivals(std::chrono::seconds grace) {
  return transactions_.Write(&sql::GiveUpArrivals, grace);
}

Task<std::vector<BlobObject>> SqlBlobLedger::ListLeaving(std::chrono::seconds trash_for,
                                                         std::size_t limit) {
  return transactions_.Read(&sql::ListLeaving, trash_for, limit);
}

Task<std::vector<std::string>> SqlBlobLedger::FindUnknown(std::vector<std::string> names) {
  return transactions_.Read(&sql::FindUnknown, std::move(names));
}

Task<void> SqlBlobLedger::DeleteRow(std::string name) {
  return transactions_.Write(&sql::Forget, std::move(name));
}

}  // namespace koya::sql
