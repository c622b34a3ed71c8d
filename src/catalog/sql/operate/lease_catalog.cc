#include "catalog/sql/operate/lease_catalog.h"

#include <algorithm>
#include <utility>

#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/lease_record.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// One statement, so that of two who come at once one gets it.
constexpr Statement kTakeLease{
    "take_lease",
    "INSERT INTO lease (name, holder, address, until) VALUES (:name, :holder, :address, "
    "{{now}} + :life) ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, "
    "address = excluded.address, until = excluded.until "
    "WHERE lease.until < {{now}} OR lease.holder = excluded.holder"};
// Of two who find the same holder dead one gets it: the other's `from` is no longer there.
constexpr Statement kTakeLeaseOver{"take_lease_over",
                                   "UPDATE lease SET holder = :holder, address = :address, "
                                   "until = {{now}} + :life WHERE name = :name AND holder = :from"};
constexpr Statement kKeepLeases{"keep_leases",
                                "UPDATE lease SET until = {{now}} + :life WHERE holder = :holder "
                                "AND until >= {{now}} RETURNING name"};
constexpr Statement kGiveLeaseBack{"give_lease_back",
                                   "DELETE FROM lease WHERE name = :name AND holder = :holder"};
constexpr Statement kListLeases{"list_leases",
                                "SELECT name, holder, address, until FROM lease "
                                "WHERE until >= {{now}} ORDER BY name"};

constexpr Statement kFindLease{"find_lease",
                               "SELECT name, holder, address, until FROM lease "
                               "WHERE name = :name AND until >= {{now}}"};

Status CheckLease(const LeaseRecord& lease) {
  RETURN_IF_ERROR(CheckStorable("the lease's name", lease.name));
  RETURN_IF_ERROR(CheckStorable("the lease's holder", lease.holder));
  return CheckStorable("the holder's address", lease.address);
}

Result<bool> TakeLease(Session& session, const LeaseRecord& lease, std::chrono::seconds life) {
  RETURN_IF_ERROR(CheckLease(lease));
  Query query(session, kTakeLease);
  query.Use(lease.name).Use(lease.holder).Use(lease.address).Use(std::int64_t{life.count()});
  return query.Run() != 0;
}

Result<bool> TakeLeaseOver(Session& session, const LeaseRecord& lease, const std::string& from,
                           std::chrono::seconds life) {
  RETURN_IF_ERROR(CheckLease(lease));
  Query query(session, kTakeLeaseOver);
  query.Use(lease.holder).Use(lease.address).Use(std::int64_t{life.count()});
  query.Use(lease.name).Use(from);
  return query.Run() != 0;
}

Status GiveLeaseBack(Session& session, const std::string& name, const std::string& holder) {
  Query(session, kGiveLeaseBack).Use(name).Use(holder).Run();
  return {};
}

Result<std::vector<LeaseRecord>> ListLeases(Session& session) {
  std::vector<LeaseRecord> leases;
  LeaseRecord lease;
  Query query(session, kListLeases);
  query.Into(lease.name).Into(lease.holder).Into(lease.address).Into(lease.until);
  while (query.Next()) leases.push_back(lease);
  return leases;
}

Result<std::optional<LeaseRecord>> FindLease(Session& session, const std::string& name) {
  LeaseRecord lease;
  Query query(session, kFindLease);
  query.Use(name).Into(lease.name).Into(lease.holder).Into(lease.address).Into(lease.until);
  if (!query.Next()) return std::nullopt;
  return lease;
}

}  // namespace

Result<std::vector<std::string>> KeepLeasesOf(Session& session, const std::string& holder,
                                              std::chrono::seconds life) {
  std::vector<std::string> names;
  std::string name;
  Query query(session, kKeepLeases);
  query.Use(std::int64_t{life.count()}).Use(holder).Into(name);
  while (query.Next()) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

Task<bool> SqlLeases::TakeLease(LeaseRecord lease, std::chrono::seconds life) {
  return transactions_.Write(&sql::TakeLease, std::move(lease), life);
}

Task<bool> SqlLeases::TakeLeaseOver(LeaseRecord lease, std::string from,
                                    std::chrono::seconds life) {
  return transactions_.Write(&sql::TakeLeaseOver, std::move(lease), std::move(from), life);
}

Task<std::vector<std::string>> SqlLeases::KeepLeases(std::string holder,
                                                     std::chrono::seconds life) {
  return transactions_.Write(&KeepLeasesOf, std::move(holder), life);
}

Task<void> SqlLeases::GiveLeaseBack(std::string name, std::string holder) {
  return transactions_.Write(&sql::GiveLeaseBack, std::move(name), std::move(holder));
}

Task<std::vector<LeaseRecord>> SqlLeases::ListLeases() {
  return transactions_.Read(&sql::ListLeases);
}

Task<std::optional<LeaseRecord>> SqlLeases::FindLease(std::string name) {
  return transactions_.Read(&sql::FindLease, std::move(name));
}

}  // namespace koya::sql
