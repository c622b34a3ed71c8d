// Results of commands that print them with --json without a server's document: the outcome of their
// work.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/codec.h"

namespace koya::wire {

// version; `server`: the version of the server that was asked, "": none was
std::string EncodeProgramVersion(const std::string& version, const std::string& server = {});
std::string EncodeRevokedToken(const std::string& name);  // token revoke
// koya login
struct Login {
  std::string url;
  std::string file;              // holds the token
  std::string scope;             // "": the server did not say
  std::uint64_t expires_in = 0;  // seconds; 0: the server did not say
};
std::string EncodeLogout(const std::string& url, bool revoked);  // logout
// idp remove, trust remove: by "name" or "id"
std::string EncodeRemoved(const std::string& key, const std::string& value);
std::string EncodeEndedSession(const std::string& id);  // session end
std::string EncodeLanguageSet(const std::string& user, const std::string& language);
std::string EncodePasswordSet(const std::string& user, bool removed);            // user password
std::string EncodeRemovedKey(const std::string& ns, const std::string& key_id);  // key remove
std::string EncodeWithdrawn(const std::string& address, const std::string& version);  // withdraw
std::string EncodeRestored(const std::string& address, const std::string& version);   // restore

// {"kind"}: "user", "group" or "service".
std::string EncodeDeletedAccount(std::string_view kind, std::string_view name);  // … delete
// A member of a group, or the holder of a role in a namespace.
struct Membership {
  std::string kind;
  std::string name;
};
std::string EncodeAddedMember(std::string_view group, const Membership& member);    // group add
std::string EncodeRemovedMember(std::string_view group, const Membership& member);  // group remove
std::string EncodeRemovedGrant(std::string_view ns, const Membership& grantee);     // grant remove

// koya deprecate
struct Deprecated {
  std::string address;
  std::string version;
  std::string message;  // "": the deprecation was removed
};

// koya doctor
struct Diagnosis {
  struct Finding {
    std::string step;
    std::string severity;  // "ok", "warning", "failure"
    std::string message;
    std::string fix;
  };
  std::string url;
  bool healthy = false;
  std::vector<Finding> findings;
};

// koya mirror fetch
struct FetchReport {
  struct Item {
    std::string address;   // "registry.opentofu.org/hashicorp/random"
    std::string version;   // "" when none was found
    std::string platform;  // "" for modules
    std::string error;     // "" for fetched items
  };
  std::vector<Item> fetched;
  std::vector<Item> failed;
  std::vector<std::string> problems;  // unreadable inputs
  std::vector<std::string> notes;
};

// koya mirror import
struct ImportReport {
  std::uint64_t imported = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t bytes = 0;  // of imported files
  std::vector<std::string> problems;
};

// koya mirror export
struct ExportReport {
  std::uint64_t written = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t bytes = 0;  // of written files
  std::vector<std::string> problems;
};

// koya mirror prune
struct PruneReport {
  bool dry_run = false;
  std::uint64_t bytes = 0;
  std::vector<std::string> released;
};

}  // namespace koya::wire
