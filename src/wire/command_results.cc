#include "wire/command_results.h"

#include "wire/document.h"

namespace koya::wire {
namespace {

// Adds a member that names the completed action.
std::string Done(boost::json::object of, const char* what) {
  of[what] = true;
  return boost::json::serialize(of);
}

boost::json::object MembershipIn(const char* what, std::string_view name, const Membership& of) {
  return {{what, name}, {"kind", of.kind}, {"name", of.name}};
}

}  // namespace

template <>
constexpr auto kDocument<Login> =
    Document("the login", Required("url", &Login::url), Required("file", &Login::file),
             OrNull("scope", &Login::scope),
             Written<Login>{"expires_in", [](const Login& of) -> boost::json::value {
                              if (of.expires_in == 0) return nullptr;
                              return of.expires_in;
                            }});

template <>
constexpr auto kDocument<Deprecated> = Document(
    "the deprecation", Required("address", &Deprecated::address),
    Required("version", &Deprecated::version),
    Written<Deprecated>{"deprecated",
                        [](const Deprecated& of) { return WriteValue(!of.message.empty()); }},
    OrNull("message", &Deprecated::message));

template <>
constexpr auto kDocument<Diagnosis::Finding> = Document(
    "the finding", Required("step", &Diagnosis::Finding::step),
    Required("severity", &Diagnosis::Finding::severity),
    Optional("message", &Diagnosis::Finding::message), Optional("mend", &Diagnosis::Finding::fix));

template <>
constexpr auto kDocument<Diagnosis> =
    Document("the diagnosis", Required("url", &Diagnosis::url),
             Optional("healthy", &Diagnosis::healthy), Optional("findings", &Diagnosis::findings));

template <>
constexpr auto kDocument<FetchReport::Item> =
    Document("the fetch report", Required("address", &FetchReport::Item::address),
             OrAbsent("version", &FetchReport::Item::version),
             OrAbsent("platform", &FetchReport::Item::platform),
             OrAbsent("error", &FetchReport::Item::error));

template <>
constexpr auto kDocument<FetchReport> =
    Document("the report", Optional("fetched", &FetchReport::fetched),
             Optional("failed", &FetchReport::failed), Optional("problems", &FetchReport::problems),
             Optional("notes", &FetchReport::notes));

template <>
constexpr auto kDocument<ImportReport> = Document(
    "the report", Optional("imported", &ImportReport::imported),
    Optional("unchanged", &ImportReport::unchanged), Optional("bytes", &ImportReport::bytes),
    Optional("problems", &ImportReport::problems));

template <>
constexpr auto kDocument<ExportReport> = Document(
    "the report", Optional("written", &ExportReport::written),
    Optional("unchanged", &ExportReport::unchanged), Optional("bytes", &ExportReport::bytes),
    Optional("problems", &ExportReport::problems));

template <>
constexpr auto kDocument<PruneReport> =
    Document("the report", Optional("dry_run", &PruneReport::dry_run),
             Optional("bytes", &PruneReport::bytes), Optional("released", &PruneReport::released));

std::string EncodeProgramVersion(const std::string& version, const std::string& server) {
  boost::json::object document{{"version", version}};
  if (!server.empty()) document["server_version"] = server;
  return boost::json::serialize(document);
}

std::string EncodeRevokedToken(const std::string& name) {
  return Done({{"name", name}}, "revoked");
}

std::string EncodeRemovedKey(const std::string& ns, const std::string& key_id) {
  return Done({{"namespace", ns}, {"key_id", key_id}}, "removed");
}

std::string EncodeWithdrawn(const std::string& address, const std::string& version) {
  return Done({{"address", address}, {"version", version}}, "withdrawn");
}

std::string EncodeRestored(const std::string& address, const std::string& version) {
  return Done({{"address", address}, {"version", version}}, "restored");
}

std::string EncodeDeletedAccount(std::string_view kind, std::string_view name) {
  return Done({{"kind", kind}, {"name", name}}, "deleted");
}

std::string EncodeAddedMember(std::string_view group, const Membership& member) {
  return Done(MembershipIn("group", group, member), "added");
}

std::string EncodeRemovedMember(std::string_view group, const Membership& member) {
  return Done(MembershipIn("group", group, member), "removed");
}

template std::string Encode(const Login&);
std::string EncodeLogout(const std::string& url, bool revoked) {
  return boost::json::serialize(
      boost::json::object{{"url", url}, {"removed", true}, {"revoked", revoked}});
}
std::string EncodeRemoved(const std::string& key, const std::string& value) {
  return Done({{key, value}}, "removed");
}
std::string EncodeEndedSession(const std::string& id) { return Done({{"id", id}}, "ended"); }
std::string EncodeLanguageSet(const std::string& user, const std::string& language) {
  return boost::json::serialize(boost::json::object{{"user", user}, {"language", language}});
}
std::string EncodePasswordSet(const std::string& user, bool removed) {
  return Done({{"user", user}}, removed ? "removed" : "set");
}

std::string EncodeRemovedGrant(std::string_view ns, const Membership& grantee) {
  return Done(MembershipIn("namespace", ns, grantee), "removed");
}

template std::string Encode(const Deprecated&);
template std::string Encode(const Diagnosis&);
template std::string Encode(const FetchReport&);
template std::string Encode(const ImportReport&);
template std::string Encode(const ExportReport&);
template std::string Encode(const PruneReport&);

}  // namespace koya::wire
