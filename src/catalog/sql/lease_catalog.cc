#include "catalog/sql/lease_catalog.h"

#include <algorithm>
#include <utility>

#include "catalog/sql/query.h"
#include "catalog/sql/text_column.h"

namespace koya::sql {
namespace {

// One statement, so that of two who come at once one gets it.
constexpr Statement kTakeLease{
    "take_lease",
    "INSERT INTO lease (name, holder, address, until) VALUES (:name, :holder, :address, "
    "{{now}} + :life) ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, "
    "address = excluded.address, until = excluded.until "
    "WHERE lease.until < {{now}} OR lease.holder = excluded.holder"};
constexpr Statement kKeepLeases{"keep_leases",
                                "UPDATE lease SET until = {{now}} + :life WHERE holder = :holder "
                                "AND until >= {{now}} RETURNING name"};
constexpr Statement kGiveLeaseBack{"give_lease_back",
                                   "DELETE FROM lease WHERE name = :name AND holder = :holder"};
constexpr Statement kListLeases{"list_leases",
                                "SELECT name, holder, address, until FROM lease "
                                "WHERE until >= {{now}} ORDER BY name"};

Result<bool> TakeLease(Session& session, const LeaseRecord& lease, std::chrono::seconds life) {
  RETURN_IF_ERROR(CheckStorable("the lease's name", lease.name));
  RETURN_IF_ERROR(CheckStorable("the lease's holder", lease.holder));
  RETURN_IF_ERROR(CheckStorable("the holder's address", lease.address));
  Query query(session, kTakeLease);
  query.Use(lease.name).Use(lease.holder).Use(lease.address).Use(std::int64_t{life.count()});
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

}  // namespace koya::sql
