// koya key add | list | remove | export | rotate

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/impact.h"
#include "cli/noun.h"
#include "cli/program.h"
#include "cli/text/key_text.h"
#include "cli/text/readable.h"
#include "domain/provider_address.h"
#include "wire/command_results.h"
#include "wire/namespaces.h"
#include "wire/provider_publishing.h"

namespace koya::cli {
namespace {

constexpr std::string_view kKeyFooter =
    R"(A provider release is signed by one key of its namespace, and clients get that key to verify it.
Only owners of the namespace can add, remove and rotate keys.

Examples:
  gpg --armor --export release@acme.example | koya key add acme -
  koya key list acme
  koya key remove acme 0123456789ABCDEF
  koya key export acme > acme.asc
  koya key rotate acme                       a new key for "koya publish provider --sign")";

struct KeyArguments {
  std::string ns;
  std::string file;
  std::string key_id;
  ServerFlags server;
};

// The namespace as the server stores it, and a client of the server.
struct AskedFor {
  std::string ns;
  std::unique_ptr<ApiClient> api;

  bool IsNew() const {
    const Result<wire::Namespace> there = api->Send(At(wire::kShowNamespace, ns));
    return !there && there.error().kind == ErrorKind::kNotFound;
  }
};

// A first key makes its namespace.
void NoteMadeNamespace(const AskedFor& asked, Output& output) {
  const Result<wire::Namespace> made = asked.api->Send(At(wire::kShowNamespace, asked.ns));
  if (made) NoteNewNamespace(asked.ns, made->visibility, output);
}

Result<AskedFor> AskedNamespace(const KeyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(std::string ns, NormalizeProviderNamespace(arguments.ns));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  return AskedFor{std::move(ns), std::make_unique<ApiClient>(std::move(connection))};
}

// One byte more than is allowed is enough to say so.
std::string ReadBounded(std::istream& stream) {
  std::string text(kMaxKeyText + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

Result<std::string> ReadKeyText(const std::string& file, const Shell& shell) {
  std::string place = file == "-" ? "standard input" : file;
  std::string text;
  if (file == "-") {
    if (shell.in != nullptr) text = ReadBounded(*shell.in);
  } else {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
      return FailInvalid(
          "cannot open {}: use the file of an armored public key, or - for standard input", file);
    }
    text = ReadBounded(stream);
  }
  RETURN_IF_ERROR(CheckPublicKeyText(text, place));
  return text;
}

// The day is enough in a table.
std::string Day(const std::string& time) { return time.substr(0, 10); }

std::string UserIds(const wire::NamespaceKey& key) {
  std::string text;
  for (const std::string& id : key.user_ids) text += (text.empty() ? "" : ", ") + Printable(id);
  return text;
}

std::string State(const wire::NamespaceKey& key) {
  if (!key.removed.empty()) return "removed " + Day(key.removed);
  if (key.expired) return "expired";
  return key.server_made ? "signs (--sign)" : "in use";
}

// Prints keys that were added: `said` of each, and the namespace that they created.
Result<int> PrintNewKeys(const AskedFor& asked, bool is_new, const wire::KeyList& keys,
                         std::string (*said)(std::string_view key_id, std::string_view ns),
                         Output& output) {
  for (const wire::NamespaceKey& key : keys.items) {
    output.Print(said(output.Bold(key.key_id), asked.ns));
    output.Print("  fingerprint  " + key.fingerprint);
    output.Print("  user ids     " + UserIds(key));
    output.Print("  algorithm    " + key.algorithm);
    output.Print("  expires      " + (key.expires.empty() ? "never" : key.expires));
  }
  if (is_new) NoteMadeNamespace(asked, output);
  output.PrintDocument(wire::Encode(keys));
  return 0;
}

Result<int> AddKey(const KeyArguments& arguments, Output& output) {
  // Looked at first: a secret key must not even meet a connection.
  ASSIGN_OR_RETURN(std::string text, ReadKeyText(arguments.file, output.shell()));
  ASSIGN_OR_RETURN(AskedFor asked, AskedNamespace(arguments, output));
  const bool is_new = asked.IsNew();
  http::ClientRequest request;
  request.fields.emplace_back("Content-Type", "application/pgp-keys");
  request.body = std::move(text);
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   asked.api->Call(At(wire::kAddKeys, asked.ns), std::move(request)));
  ASSIGN_OR_RETURN(wire::KeyList keys, wire::Decode<wire::KeyList>(response.body));
  const auto said = [](std::string_view key_id, std::string_view ns) {
    return fmt::format("Added the key {} to {}", key_id, ns);
  };
  return PrintNewKeys(asked, is_new, keys, said, output);
}

Result<int> ListKeys(const KeyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(AskedFor asked, AskedNamespace(arguments, output));
  const auto expires = [](const wire::NamespaceKey& key) { return Day(key.expires); };
  return PrintList(asked.api->Send(At(wire::kListKeys, asked.ns)),
                   {{"KEY ID", &wire::NamespaceKey::key_id},
                    {"ALGORITHM", &wire::NamespaceKey::algorithm},
                    {"EXPIRES", expires, "never"},
                    {"STATE", State},
                    {"FINGERPRINT", &wire::NamespaceKey::fingerprint},
                    {"USER IDS", UserIds}},
                   fmt::format("koya: {} has no keys", asked.ns), output);
}

Result<int> RemoveKey(const KeyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(AskedFor asked, AskedNamespace(arguments, output));
  return PrintDone(
      asked.api->Send(At(wire::kRemoveKey, asked.ns, arguments.key_id)),
      fmt::format("Removed the key {} from {}: it cannot sign new releases; releases it signed are "
                  "unchanged",
                  arguments.key_id, asked.ns),
      wire::EncodeDone("removed", {{"namespace", asked.ns}, {"key_id", arguments.key_id}}), output);
}

// "0x0123 4567…" as people copy it.
std::string PlainKeyId(std::string_view text) {
  std::string plain;
  for (char c : AsciiLower(text)) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == 'x') plain += c;
  }
  return plain.starts_with("0x") ? plain.substr(2) : plain;
}

// Those that were asked for; without a key id, those in use.
Result<std::vector<wire::NamespaceKey>> Choose(std::vector<wire::NamespaceKey> keys,
                                               const KeyArguments& arguments) {
  std::string wanted = PlainKeyId(arguments.key_id);
  bool all = arguments.key_id.empty();
  std::erase_if(keys, [&](const wire::NamespaceKey& key) {
    return all ? !key.removed.empty() : !AsciiLower(key.fingerprint).ends_with(wanted);
  });
  if (!all && wanted.size() < 8) keys.clear();
  if (!keys.empty()) return keys;
  return Fail(ErrorKind::kNotFound,
              all ? fmt::format("{0} has no key in use: add one with \"koya key add {0} KEY.asc\"",
                                arguments.ns)
                  : fmt::format("{0} has no key {1}: \"koya key list {0}\" lists its keys; give at "
                                "least the last eight digits",
                                arguments.ns, Printable(arguments.key_id)));
}

Result<int> ExportKeys(const KeyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(AskedFor asked, AskedNamespace(arguments, output));
  ASSIGN_OR_RETURN(wire::KeyList keys, asked.api->Send(At(wire::kListKeys, asked.ns)));
  ASSIGN_OR_RETURN(keys.items, Choose(std::move(keys.items), arguments));
  for (const wire::NamespaceKey& key : keys.items) {
    std::string_view armor = key.ascii_armor;
    while (armor.ends_with('\n')) armor.remove_suffix(1);
    output.Print(armor);
  }
  output.PrintDocument(wire::Encode(keys));
  return 0;
}

Result<int> RotateKey(const KeyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(AskedFor asked, AskedNamespace(arguments, output));
  const bool is_new = asked.IsNew();
  ASSIGN_OR_RETURN(wire::KeyList keys, asked.api->Send(At(wire::kRotateKey, asked.ns)));
  const auto said = [](std::string_view key_id, std::string_view ns) {
    return fmt::format("{} now signs with the new key {}; earlier releases keep their key", ns,
                       key_id);
  };
  return PrintNewKeys(asked, is_new, keys, said, output);
}

void DeclareKeys(CLI::App& command, KeyArguments& arguments) {
  command.add_option("NAMESPACE", arguments.ns, "The namespace, for example acme")
      ->required()
      ->check(ReadableBy([](std::string_view text) { return NormalizeProviderNamespace(text); }))
      ->type_name("");
}

void DeclareKeyFile(CLI::App& command, KeyArguments& arguments) {
  DeclareKeys(command, arguments);
  command
      .add_option("KEY.asc", arguments.file,
                  "A file with armored public keys, or - for standard input")
      ->required()
      ->type_name("");
}

void DeclareKeyId(CLI::App& command, KeyArguments& arguments) {
  DeclareKeys(command, arguments);
  command.add_option("KEY_ID", arguments.key_id, "A key id or a fingerprint")
      ->required()
      ->type_name("");
}

void DeclareOptionalKeyId(CLI::App& command, KeyArguments& arguments) {
  DeclareKeys(command, arguments);
  command
      .add_option("KEY_ID", arguments.key_id, "A key id or a fingerprint; default: all keys in use")
      ->type_name("");
}

}  // namespace

void AddKeyCommand(CLI::App& program, Invocation& invocation) {
  AddNoun<KeyArguments>(
      program, invocation, "key", "Manage the keys that sign a namespace's providers", kKeyFooter,
      {{"add", "Add public keys to a namespace", AddKey, DeclareKeyFile},
       {"list", "List a namespace's keys", ListKeys, DeclareKeys},
       {"remove", "Stop a key from signing new releases", RemoveKey, DeclareKeyId},
       {"export", "Print a namespace's public keys, armored", ExportKeys, DeclareOptionalKeyId},
       {"rotate", "Create a new key for releases with --sign", RotateKey, DeclareKeys}});
}

}  // namespace koya::cli
