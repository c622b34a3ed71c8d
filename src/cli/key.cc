// koya key add | list | remove | export | rotate

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <fstream>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/api/access_client.h"
#include "cli/api/connection.h"
#include "cli/api/provider_client.h"
#include "cli/impact.h"
#include "cli/program.h"
#include "cli/text/key_text.h"
#include "cli/text/readable.h"
#include "domain/provider_address.h"
#include "wire/command_results.h"

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

// The namespace as the server keeps it, and a client of the server.
struct AskedFor {
  std::string ns;
  std::unique_ptr<ProviderClient> client;
  std::unique_ptr<AccessClient> access;

  bool IsNew() const {
    const Result<wire::Namespace> there = access->ShowNamespace(ns);
    return !there && there.error().kind == ErrorKind::kNotFound;
  }
};

// A first key makes its namespace.
void NoteMadeNamespace(const AskedFor& asked, Output& output) {
  const Result<wire::Namespace> made = asked.access->ShowNamespace(asked.ns);
  if (made) NoteNewNamespace(asked.ns, made->visibility, output);
}

Result<AskedFor> AskedNamespace(const KeyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(std::string ns, NormalizeProviderPart("namespace", arguments.ns));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  auto access = std::make_unique<AccessClient>(connection);
  return AskedFor{std::move(ns), std::make_unique<ProviderClient>(std::move(connection)),
                  std::move(access)};
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

void PrintKey(const wire::NamespaceKey& key, Output& output) {
  output.Print("  fingerprint  " + key.fingerprint);
  output.Print("  user ids     " + UserIds(key));
  output.Print("  algorithm    " + key.algorithm);
  output.Print("  expires      " + (key.expires.empty() ? "never" : key.expires));
}

Result<int> Add(const KeyArguments& arguments, Output& output) {
  // Looked at first: a secret key must not even meet a connection.
  ASSIGN_OR_RETURN(std::string text, ReadKeyText(arguments.file, output.shell()));
  ASSIGN_OR_RETURN(AskedFor asked, AskedNamespace(arguments, output));
  const bool is_new = asked.IsNew();
  ASSIGN_OR_RETURN(std::vector<wire::NamespaceKey> keys,
                   asked.client->AddKeys(asked.ns, std::move(text)));
  for (const wire::NamespaceKey& key : keys) {
    output.Print(fmt::format("Added the key {} to {}", output.Bold(key.key_id), asked.ns));
    PrintKey(key, output);
  }
  if (is_new) NoteMadeNamespace(asked, output);
  output.PrintDocument(wire::EncodeKeyList(keys));
  return 0;
}

Result<int> List(const KeyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(AskedFor asked, AskedNamespace(arguments, output));
  ASSIGN_OR_RETURN(std::vector<wire::NamespaceKey> keys, asked.client->ListKeys(asked.ns));
  std::vector<std::vector<std::string>> rows;
  rows.reserve(keys.size());
  for (const wire::NamespaceKey& key : keys) {
    rows.push_back({key.key_id, key.algorithm, key.expires.empty() ? "never" : Day(key.expires),
                    State(key), key.fingerprint, UserIds(key)});
  }
  if (rows.empty()) {
    output.Note(fmt::format("koya: {} has no keys", asked.ns));
  } else {
    output.PrintTable({"KEY ID", "ALGORITHM", "EXPIRES", "STATE", "FINGERPRINT", "USER IDS"}, rows);
  }
  output.PrintDocument(wire::EncodeKeyList(keys));
  return 0;
}

Result<int> Remove(const KeyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(AskedFor asked, AskedNamespace(arguments, output));
  RETURN_IF_ERROR(asked.client->RemoveKey(asked.ns, arguments.key_id));
  output.Print(fmt::format(
      "Removed the key {} from {}: it cannot sign new releases; releases it signed are unchanged",
      arguments.key_id, asked.ns));
  output.PrintDocument(wire::EncodeRemovedKey(asked.ns, arguments.key_id));
  return 0;
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

Result<int> Export(const KeyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(AskedFor asked, AskedNamespace(arguments, output));
  ASSIGN_OR_RETURN(std::vector<wire::NamespaceKey> keys, asked.client->ListKeys(asked.ns));
  ASSIGN_OR_RETURN(keys, Choose(std::move(keys), arguments));
  for (const wire::NamespaceKey& key : keys) {
    std::string_view armor = key.ascii_armor;
    while (armor.ends_with('\n')) armor.remove_suffix(1);
    output.Print(armor);
  }
  output.PrintDocument(wire::EncodeKeyList(keys));
  return 0;
}

Result<int> Rotate(const KeyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(AskedFor asked, AskedNamespace(arguments, output));
  const bool is_new = asked.IsNew();
  ASSIGN_OR_RETURN(std::vector<wire::NamespaceKey> keys, asked.client->RotateKey(asked.ns));
  for (const wire::NamespaceKey& key : keys) {
    output.Print(fmt::format("{} now signs with the new key {}; earlier releases keep their key",
                             asked.ns, output.Bold(key.key_id)));
    PrintKey(key, output);
  }
  if (is_new) NoteMadeNamespace(asked, output);
  output.PrintDocument(wire::EncodeKeyList(keys));
  return 0;
}

using KeyAction = Result<int> (*)(const KeyArguments&, Output&);
using DeclareMore = void (*)(CLI::App&, KeyArguments&);

struct KeyCommand {
  std::string name;
  std::string about;
  KeyAction action;
  DeclareMore declare = [](CLI::App&, KeyArguments&) {};  // arguments after NAMESPACE
};

void AddKeyFile(CLI::App& command, KeyArguments& arguments) {
  command
      .add_option("KEY.asc", arguments.file,
                  "A file with armored public keys, or - for standard input")
      ->required()
      ->type_name("");
}

void AddKeyId(CLI::App& command, KeyArguments& arguments) {
  command.add_option("KEY_ID", arguments.key_id, "A key id or a fingerprint")
      ->required()
      ->type_name("");
}

void AddOptionalKeyId(CLI::App& command, KeyArguments& arguments) {
  command
      .add_option("KEY_ID", arguments.key_id, "A key id or a fingerprint; default: all keys in use")
      ->type_name("");
}

void AddOne(CLI::App& key, Invocation& invocation, const KeyCommand& declared) {
  CLI::App* command = key.add_subcommand(declared.name, declared.about);
  auto arguments = std::make_shared<KeyArguments>();
  command->add_option("NAMESPACE", arguments->ns, "The namespace, for example acme")
      ->required()
      ->check(ReadableBy(
          [](std::string_view text) { return NormalizeProviderPart("namespace", text); }))
      ->type_name("");
  declared.declare(*command, *arguments);
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, action = declared.action, &invocation] {
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
}

}  // namespace

void AddKeyCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* key =
      program.add_subcommand("key", "Manage the keys that sign a namespace's providers");
  key->require_subcommand(1);
  AddOne(*key, invocation, {"add", "Add public keys to a namespace", Add, AddKeyFile});
  AddOne(*key, invocation, {"list", "List a namespace's keys", List});
  AddOne(*key, invocation, {"remove", "Stop a key from signing new releases", Remove, AddKeyId});
  AddOne(*key, invocation,
         {"export", "Print a namespace's public keys, armored", Export, AddOptionalKeyId});
  AddOne(*key, invocation, {"rotate", "Create a new key for releases with --sign", Rotate});
  key->footer(std::string(kKeyFooter));
}

}  // namespace koya::cli
