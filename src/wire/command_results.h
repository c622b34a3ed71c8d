// Results of commands that print them with --json without a server's document: the outcome of their
// work.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/endpoint.h"

namespace koya::wire {

// version; `server`: the version of the server that was asked, "": none was
std::string EncodeProgramVersion(const std::string& version, const std::string& server = {});
// {"NAME": "VALUE", …, "DONE": true}: the result of a command that changed something, and got no
// document: done is "removed", for example.
std::string EncodeDone(
    std::string_view done,
    std::initializer_list<std::pair<std::string_view, std::string_view>> members);
// koya login
struct Login {
  std::string url;
  std::string file;              // holds the token
  std::string scope;             // "": the server did not say
  std::uint64_t expires_in = 0;  // seconds; 0: the server did not say
};
std::string EncodeLogout(const std::string& url, bool revoked);  // logout
std::string EncodeLanguageSet(const std::string& user, const std::string& language);

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

// koya config check
struct SettingsCheck {
  struct Finding {
    std::uint64_t line = 0;  // of the file; 0: elsewhere
    std::string setting;     // "": about the file
    std::string text;
  };
  std::vector<Finding> problems;
  std::vector<Finding> warnings;
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

// koya import: the outcome of a run, or with --assess of one that would be made.
struct RegistryImport {
  struct Refused {
    std::string address;  // at the source
    std::string version;  // "": the whole module or provider
    std::string why;
  };
  std::uint64_t packages = 0;   // modules and providers that the source has
  std::uint64_t versions = 0;   // imported, or to be imported
  std::uint64_t unchanged = 0;  // versions that the target has already
  std::uint64_t bytes = 0;      // of these versions, as far as they are known
  std::uint64_t seconds = 0;    // with --assess: an estimate for these versions
  std::vector<Refused> refused;
  std::vector<std::string> clashes;
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
