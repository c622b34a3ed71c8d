#include "wire/provider_publishing.h"

#include <fmt/format.h>

#include <utility>

#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kFileDocument = "the draft's file";
constexpr std::string_view kDraftDocument = "the draft";
constexpr std::string_view kDraftsDocument = "the list of drafts";
constexpr std::string_view kRequest = "the request";
constexpr std::string_view kPublishedDocument = "the answer to the publish";
constexpr std::string_view kKeysDocument = "the list of keys";

json::object FileObject(const DraftFile& file) {
  json::object out;
  out["name"] = file.name;
  out["digest"] = file.digest;
  out["size"] = file.size;
  out["problems"] = StringArray(file.problems);
  return out;
}

Result<DraftFile> ReadFile(const json::object& object) {
  DraftFile out;
  ASSIGN_OR_RETURN(out.name, RequiredString(kFileDocument, object, "name"));
  ASSIGN_OR_RETURN(out.digest, RequiredString(kFileDocument, object, "digest"));
  ASSIGN_OR_RETURN(auto size, OptionalNumber(kFileDocument, object, "size"));
  ASSIGN_OR_RETURN(out.problems, OptionalStrings(kFileDocument, object, "problems"));
  out.size = size.value_or(0);
  return out;
}

// Without its files.
json::object DraftObject(const Draft& draft) {
  json::object out;
  out["id"] = draft.id;
  out["address"] = draft.address;
  out["version"] = draft.version;
  out["created"] = draft.created;
  out["expires"] = draft.expires;
  return out;
}

Result<Draft> ReadDraft(const json::object& object) {
  Draft out;
  ASSIGN_OR_RETURN(out.id, RequiredString(kDraftDocument, object, "id"));
  ASSIGN_OR_RETURN(out.address, OptionalString(kDraftDocument, object, "address"));
  ASSIGN_OR_RETURN(out.version, OptionalString(kDraftDocument, object, "version"));
  ASSIGN_OR_RETURN(out.created, OptionalString(kDraftDocument, object, "created"));
  ASSIGN_OR_RETURN(out.expires, OptionalString(kDraftDocument, object, "expires"));
  ASSIGN_OR_RETURN(out.files,
                   OptionalObjects<DraftFile>(kDraftDocument, object, "files", ReadFile));
  return out;
}

json::object PackageObject(const PublishedPackage& package) {
  json::object out;
  out["platform"] = package.platform;
  out["filename"] = package.filename;
  out["digest"] = package.digest;
  out["size"] = package.size;
  out["hashes"] = StringArray(package.hashes);
  return out;
}

Result<PublishedPackage> ReadPackage(const json::object& object) {
  PublishedPackage out;
  ASSIGN_OR_RETURN(out.platform, RequiredString(kPublishedDocument, object, "platform"));
  ASSIGN_OR_RETURN(out.filename, OptionalString(kPublishedDocument, object, "filename"));
  ASSIGN_OR_RETURN(out.digest, OptionalString(kPublishedDocument, object, "digest"));
  ASSIGN_OR_RETURN(auto size, OptionalNumber(kPublishedDocument, object, "size"));
  ASSIGN_OR_RETURN(out.hashes, OptionalStrings(kPublishedDocument, object, "hashes"));
  out.size = size.value_or(0);
  return out;
}

json::object KeyObject(const NamespaceKey& key) {
  json::object out;
  out["key_id"] = key.key_id;
  out["fingerprint"] = key.fingerprint;
  out["user_ids"] = StringArray(key.user_ids);
  out["algorithm"] = key.algorithm;
  out["created"] = key.created;
  out["expires"] = TextOrNull(key.expires);
  out["expired"] = key.expired;
  out["added"] = key.added;
  out["added_by"] = key.added_by;
  out["removed"] = TextOrNull(key.removed);
  out["server_made"] = key.server_made;
  out["ascii_armor"] = key.ascii_armor;
  return out;
}

Result<NamespaceKey> ReadKey(const json::object& object) {
  NamespaceKey out;
  auto optional = [&](std::string_view key) { return OptionalString(kKeysDocument, object, key); };
  ASSIGN_OR_RETURN(out.key_id, RequiredString(kKeysDocument, object, "key_id"));
  ASSIGN_OR_RETURN(out.fingerprint, RequiredString(kKeysDocument, object, "fingerprint"));
  ASSIGN_OR_RETURN(out.user_ids, OptionalStrings(kKeysDocument, object, "user_ids"));
  ASSIGN_OR_RETURN(out.algorithm, optional("algorithm"));
  ASSIGN_OR_RETURN(out.created, optional("created"));
  ASSIGN_OR_RETURN(out.expires, optional("expires"));
  ASSIGN_OR_RETURN(out.expired, OptionalBool(kKeysDocument, object, "expired"));
  ASSIGN_OR_RETURN(out.added, optional("added"));
  ASSIGN_OR_RETURN(out.added_by, optional("added_by"));
  ASSIGN_OR_RETURN(out.removed, optional("removed"));
  ASSIGN_OR_RETURN(out.server_made, OptionalBool(kKeysDocument, object, "server_made"));
  ASSIGN_OR_RETURN(out.ascii_armor, optional("ascii_armor"));
  return out;
}

}  // namespace

std::string EncodeDraftFile(const DraftFile& file) { return json::serialize(FileObject(file)); }

Result<DraftFile> DecodeDraftFile(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kFileDocument, body));
  return ReadFile(document);
}

std::string EncodeDraft(const Draft& draft) {
  json::array files;
  for (const DraftFile& file : draft.files) files.push_back(FileObject(file));
  json::object out = DraftObject(draft);
  out["files"] = std::move(files);
  return json::serialize(out);
}

Result<Draft> DecodeDraft(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kDraftDocument, body));
  return ReadDraft(document);
}

// "files" is absent rather than empty: a list does not say what is in a draft.
std::string EncodeDraftList(const std::vector<Draft>& drafts) {
  json::array list;
  for (const Draft& draft : drafts) list.push_back(DraftObject(draft));
  json::object out;
  out["drafts"] = std::move(list);
  return json::serialize(out);
}

Result<std::vector<Draft>> DecodeDraftList(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kDraftsDocument, body));
  return RequiredObjects<Draft>(kDraftsDocument, document, "drafts", ReadDraft);
}

std::string EncodeCommitRequest(const CommitRequest& request) {
  json::object out;
  out["sign"] = request.sign;
  out["protocols"] = StringArray(request.protocols);
  return json::serialize(out);
}

Result<CommitRequest> DecodeCommitRequest(std::string_view body) {
  CommitRequest out;
  if (body.empty()) return out;
  ASSIGN_OR_RETURN(json::object document, ParseObject(kRequest, body));
  ASSIGN_OR_RETURN(out.sign, OptionalBool(kRequest, document, "sign"));
  ASSIGN_OR_RETURN(out.protocols, OptionalStrings(kRequest, document, "protocols"));
  return out;
}

std::string EncodePublishedProvider(const PublishedProvider& published) {
  json::array packages;
  for (const PublishedPackage& package : published.packages) {
    packages.push_back(PackageObject(package));
  }
  json::object out;
  out["address"] = published.address;
  out["version"] = published.version;
  out["source"] = published.source;
  out["protocols"] = StringArray(published.protocols);
  out["shasums_digest"] = published.shasums_digest;
  out["key_fingerprint"] = published.key_fingerprint;
  out["packages"] = std::move(packages);
  return json::serialize(out);
}

Result<PublishedProvider> DecodePublishedProvider(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kPublishedDocument, body));
  PublishedProvider out;
  ASSIGN_OR_RETURN(out.address, RequiredString(kPublishedDocument, document, "address"));
  ASSIGN_OR_RETURN(out.version, RequiredString(kPublishedDocument, document, "version"));
  ASSIGN_OR_RETURN(out.source, OptionalString(kPublishedDocument, document, "source"));
  ASSIGN_OR_RETURN(out.protocols, OptionalStrings(kPublishedDocument, document, "protocols"));
  ASSIGN_OR_RETURN(out.shasums_digest,
                   RequiredString(kPublishedDocument, document, "shasums_digest"));
  ASSIGN_OR_RETURN(out.key_fingerprint,
                   OptionalString(kPublishedDocument, document, "key_fingerprint"));
  ASSIGN_OR_RETURN(out.packages, OptionalObjects<PublishedPackage>(kPublishedDocument, document,
                                                                   "packages", ReadPackage));
  return out;
}

std::string EncodeDeprecation(std::string_view message) {
  json::object out;
  out["message"] = json::string_view(message.data(), message.size());
  return json::serialize(out);
}

// "" takes a deprecation back, so a missing message must not read as "".
Result<std::string> DecodeDeprecation(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kRequest, body));
  const json::value* message = document.if_contains("message");
  if (message == nullptr || !message->is_string()) {
    return Fail(
        ErrorKind::kInvalid,
        fmt::format("{}: \"message\" must be a string; \"\" takes a deprecation back", kRequest));
  }
  return OptionalString(kRequest, document, "message");
}

std::string EncodeKeyList(const std::vector<NamespaceKey>& keys) {
  json::array list;
  for (const NamespaceKey& key : keys) list.push_back(KeyObject(key));
  json::object out;
  out["keys"] = std::move(list);
  return json::serialize(out);
}

Result<std::vector<NamespaceKey>> DecodeKeyList(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kKeysDocument, body));
  return RequiredObjects<NamespaceKey>(kKeysDocument, document, "keys", ReadKey);
}

}  // namespace koya::wire
