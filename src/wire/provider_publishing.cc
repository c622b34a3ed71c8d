#include "wire/provider_publishing.h"

#include "wire/document.h"
#include "wire/schema.h"
#include "wire/shared_documents.h"

namespace koya::wire {
namespace {

constexpr std::string_view kRequest = "the request";

}  // namespace

template <>
constexpr auto kDocument<DraftFile> = Document(
    "the draft's file", Required("name", &DraftFile::name), Required("digest", &DraftFile::digest),
    Optional("size", &DraftFile::size), Optional("problems", &DraftFile::problems));

template <>
constexpr auto kDocument<DraftRequest> =
    Document(kRequest, OrAbsent("upload", &DraftRequest::upload)).OrEmptyBody();

template <>
constexpr auto kDocument<Draft> =
    Document("the draft", Required("id", &Draft::id), Optional("address", &Draft::address),
             Optional("version", &Draft::version), Optional("created", &Draft::created),
             Optional("expires", &Draft::expires), OrAbsent("upload", &Draft::upload),
             Optional("files", &Draft::files));

template <>
constexpr auto kDocument<CommitRequest> =
    Document(kRequest, Optional("sign", &CommitRequest::sign),
             Optional("protocols", &CommitRequest::protocols),
             OrAbsent("source_url", &CommitRequest::source_url),
             OrAbsent("attachments", &CommitRequest::attachments),
             OrAbsent("imported_from", &CommitRequest::imported_from),
             OrAbsent("imported_digest", &CommitRequest::imported_digest),
             OrAbsent("published_at", &CommitRequest::published_at))
        .OrEmptyBody();

template <>
constexpr auto kDocument<PublishedPackage> = Document(
    "the publish response", Required("platform", &PublishedPackage::platform),
    Optional("filename", &PublishedPackage::filename),
    Optional("digest", &PublishedPackage::digest), Optional("size", &PublishedPackage::size),
    Optional("hashes", &PublishedPackage::hashes));

template <>
constexpr auto kDocument<PublishedProvider> =
    Document("the publish response", Required("address", &PublishedProvider::address),
             Required("version", &PublishedProvider::version),
             Optional("source", &PublishedProvider::source),
             Optional("protocols", &PublishedProvider::protocols),
             Required("shasums_digest", &PublishedProvider::shasums_digest),
             Optional("key_fingerprint", &PublishedProvider::key_fingerprint),
             Optional("packages", &PublishedProvider::packages),
             Optional("warnings", &PublishedProvider::warnings),
             Optional("dry_run", &PublishedProvider::dry_run),
             OrAbsent("made_namespace", &PublishedProvider::made_namespace),
             OrAbsent("visibility", &PublishedProvider::visibility),
             Optional("comparison", &PublishedProvider::comparison),
             OrAbsent("semver", &PublishedProvider::semver));

template <>
constexpr auto kDocument<Deprecation> =
    Document(kRequest, Optional("message", &Deprecation::message));

template <>
constexpr auto kDocument<NamespaceKey> = Document(
    "the list of keys", Required("key_id", &NamespaceKey::key_id),
    Required("fingerprint", &NamespaceKey::fingerprint),
    Optional("user_ids", &NamespaceKey::user_ids), Optional("algorithm", &NamespaceKey::algorithm),
    Optional("created", &NamespaceKey::created), OrNull("expires", &NamespaceKey::expires),
    Optional("expired", &NamespaceKey::expired), Optional("added", &NamespaceKey::added),
    Optional("added_by", &NamespaceKey::added_by), OrNull("removed", &NamespaceKey::removed),
    Optional("server_made", &NamespaceKey::server_made),
    Optional("ascii_armor", &NamespaceKey::ascii_armor));

KOYA_DOCUMENT(DraftFile);

KOYA_DOCUMENT(DraftRequest);

KOYA_DOCUMENT(Draft);

// "files" is absent rather than empty: a list does not report the files of a draft.
template <>
std::string Encode(const DraftList& list) {
  boost::json::object out = WriteObject(list);
  for (boost::json::value& draft : out["drafts"].as_array()) draft.as_object().erase("files");
  return boost::json::serialize(out);
}
template Result<DraftList> Decode(std::string_view);

KOYA_DOCUMENT(CommitRequest);

KOYA_DOCUMENT(PublishedProvider);

template std::string Encode(const Deprecation&);

// "" takes a deprecation back, so a missing message must not read as "".
template <>
Result<Deprecation> Decode(std::string_view body) {
  ASSIGN_OR_RETURN(boost::json::object document, ParseObject(kRequest, body));
  const boost::json::value* message = document.if_contains("message");
  if (message == nullptr || !message->is_string()) {
    return MustBe(kRequest, "message", "a string; \"\" removes a deprecation");
  }
  return Deprecation{std::string(message->get_string())};
}

KOYA_DOCUMENT(KeyList);

void AddProviderPublishingSchemas(SchemaList& list) {
  AddSchema<DraftFile>(list);
  AddSchema<DraftRequest>(list);
  AddSchema<Draft>(list);
  AddSchema<CommitRequest>(list);
  AddSchema<PublishedProvider>(list);
  AddSchema<NamespaceKey>(list);
  AddShape(list, "Deprecation", "{message: text}");
}

}  // namespace koya::wire
