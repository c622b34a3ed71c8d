#include "catalog/sql/usage/sent_bytes_catalog.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr std::size_t kMostText = 200;
constexpr std::size_t kMostTogether = 1000;

constexpr Statement kAddToSum{
    "add_to_sent_bytes",
    "UPDATE sent_bytes SET bytes = bytes + :more WHERE day = :day AND sent_to = :sent_to"};
constexpr Statement kCountSums{"count_sent_bytes",
                               "SELECT COUNT(*) FROM sent_bytes WHERE day = :day"};
constexpr Statement kBeginSum{
    "begin_sent_bytes",
    "INSERT INTO sent_bytes (day, sent_to, bytes) VALUES (:day, :sent_to, :bytes) "
    "ON CONFLICT (day, sent_to) DO UPDATE SET bytes = sent_bytes.bytes + excluded.bytes"};
constexpr Statement kFindSums{
    "find_sent_bytes",
    "SELECT sent_to, bytes FROM sent_bytes WHERE day = :day AND sent_to IN "
    "(SELECT element FROM {{elements of}} :list {{end of elements}})"};
// By the database's clock: a server whose own is wrong must not take away what others count.
constexpr Statement kForgetSums{
    "forget_sent_bytes",
    "DELETE FROM sent_bytes WHERE (day, sent_to) IN (SELECT day, sent_to FROM sent_bytes "
    "WHERE day < {{now}} / 86400 - 1 ORDER BY day, sent_to LIMIT 1000 {{for update skip locked}})"};

Status CheckRequest(const std::vector<SentBytes>& more) {
  if (more.size() > kMostTogether) {
    return Fail(ErrorKind::kInvalid, "at most 1000 sums can be added at once");
  }
  for (const SentBytes& sent : more) {
    RETURN_IF_ERROR(CheckStorable("the name that bytes are counted for", sent.to));
    if (sent.to.size() > kMostText) {
      return Fail(ErrorKind::kInvalid, "the name that bytes are counted for has 200 bytes at most");
    }
  }
  return {};
}

bool AddToSum(Session& session, std::int64_t day, const SentBytes& sent) {
  Query query(session, kAddToSum);
  return query.Use(static_cast<std::int64_t>(sent.bytes)).Use(day).Use(sent.to).Run() != 0;
}

std::size_t CountSums(Session& session, std::int64_t day) {
  std::int64_t count = 0;
  Query query(session, kCountSums);
  query.Use(day).Into(count);
  query.Next();
  return static_cast<std::size_t>(count);
}

// Rows are locked in the order of their texts, each before the next is looked for, so that no two
// servers wait for each other: one that is not there yet may be another's, who has not ended.
void Add(Session& session, std::int64_t day, std::vector<SentBytes> more) {
  std::erase_if(more, [](const SentBytes& sent) { return sent.bytes == 0; });
  std::ranges::sort(more, {}, &SentBytes::to);
  std::optional<std::size_t> count;
  for (const SentBytes& sent : more) {
    if (AddToSum(session, day, sent)) continue;
    if (!count) count = CountSums(session, day);
    if ((*count)++ >= SentBytesCatalog::kMostOfDay) continue;
    Query query(session, kBeginSum);
    query.Use(day).Use(sent.to).Use(static_cast<std::int64_t>(sent.bytes)).Run();
  }
}

std::map<std::string, std::uint64_t> FindSums(Session& session, std::int64_t day,
                                              const std::vector<SentBytes>& of) {
  std::vector<std::string> texts;
  texts.reserve(of.size());
  for (const SentBytes& sent : of) texts.push_back(sent.to);
  const std::string list = JsonList(texts);
  std::map<std::string, std::uint64_t> sums;
  std::string to;
  std::int64_t bytes = 0;
  Query query(session, kFindSums);
  query.Use(day).Use(list).Into(to).Into(bytes);
  while (query.Next()) sums[to] = static_cast<std::uint64_t>(bytes);
  return sums;
}

Result<std::vector<std::uint64_t>> AddSentBytes(Session& session, std::int64_t day,
                                                const std::vector<SentBytes>& more) {
  RETURN_IF_ERROR(CheckRequest(more));
  Add(session, day, more);
  std::map<std::string, std::uint64_t> sums = FindSums(session, day, more);
  Query(session, kForgetSums).Run();
  std::vector<std::uint64_t> in_order;
  in_order.reserve(more.size());
  for (const SentBytes& sent : more) in_order.push_back(std::max(sums[sent.to], sent.bytes));
  return in_order;
}

}  // namespace

Task<std::vector<std::uint64_t>> SqlSentBytes::AddSentBytes(std::int64_t day,
                                                            std::vector<SentBytes> more) {
  return transactions_.Write(&sql::AddSentBytes, day, std::move(more));
}

}  // namespace koya::sql
