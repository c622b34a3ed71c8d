// JSON documents: the first byte chooses the decoder; accepted documents survive encoding and
// decoding once more.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wire/accounts.h"
#include "wire/discovery.h"
#include "wire/error_document.h"
#include "wire/foreign/foreign_docs.h"
#include "wire/foreign/foreign_versions.h"
#include "wire/mirror.h"
#include "wire/modules.h"
#include "wire/namespaces.h"
#include "wire/provider_publishing.h"
#include "wire/providers.h"
#include "wire/tokens.h"

namespace {

namespace wire = koya::wire;

template <class Decode, class Encode>
void RoundTrip(std::string_view body, Decode decode, Encode encode) {
  const auto document = decode(body);
  if (!document) {
    if (document.error().message.empty()) std::abort();  // a refusal without a reason
    return;
  }
  const auto again = decode(encode(*document));
  if (!again || *again != *document) std::abort();
}

// The documents of providers; `choice` counts on after those below.
void ProviderDocument(unsigned choice, std::string_view body) {
  switch (choice) {
    case 0:
      RoundTrip(body, wire::Decode<wire::ProviderVersions>, wire::Encode<wire::ProviderVersions>);
      break;
    case 1:
      RoundTrip(body, wire::DecodeProviderDownload, wire::EncodeProviderDownload);
      break;
    case 2:
      RoundTrip(body, wire::Decode<wire::ProviderDetails>, wire::Encode<wire::ProviderDetails>);
      break;
    case 3:
      RoundTrip(body, wire::DecodeProviderList, wire::EncodeProviderList);
      break;
    case 4:
      RoundTrip(body, wire::Decode<wire::Draft>, wire::Encode<wire::Draft>);
      RoundTrip(body, wire::Decode<wire::DraftFile>, wire::Encode<wire::DraftFile>);
      break;
    case 5:
      RoundTrip(body, wire::Decode<wire::PublishedProvider>, wire::Encode<wire::PublishedProvider>);
      RoundTrip(body, wire::Decode<wire::CommitRequest>, wire::Encode<wire::CommitRequest>);
      break;
    case 6:
      RoundTrip(body, wire::Decode<wire::KeyList>, wire::Encode<wire::KeyList>);
      RoundTrip(body, wire::Decode<wire::Deprecation>, wire::Encode<wire::Deprecation>);
      break;
    default:
      (void)wire::DecodeProviderManifest(body);
      (void)wire::Decode<wire::DraftList>(body);
  }
}

// Lists of pages of docs: accepted entries can be stored and addressed.
void ForeignDocuments(std::string_view body) {
  constexpr std::size_t kMost = 100;
  (void)wire::DecodeProviderVersionId(body, "1.0.0");
  (void)wire::DecodeDocContent(body);
  RoundTrip(body, wire::Decode<wire::ForeignDocs>, wire::Encode<wire::ForeignDocs>);
  for (auto decode : {wire::DecodeIncludedDocs, wire::DecodeTofuDocs}) {
    auto list = decode(body, kMost);
    if (!list) continue;
    if (list->docs.size() > kMost) std::abort();
    for (const wire::ForeignDoc& doc : list->docs) {
      if (doc.name.contains('/') || doc.name[0] == '.' || doc.place.contains("/..")) std::abort();
    }
    list->skipped = 0;
    if (wire::Decode<wire::ForeignDocs>(wire::Encode(*list)) != *list) std::abort();
  }
}

// Documents that other registries and mirrors answer.
void ForeignDocument(std::string_view body) {
  RoundTrip(body, wire::DecodeMirrorIndex, wire::EncodeMirrorIndex);
  RoundTrip(body, wire::DecodeMirrorVersion, wire::EncodeMirrorVersion);
  ForeignDocuments(body);
  const auto versions = wire::DecodeForeignVersions(body);
  if (!versions) return;
  const auto again = wire::DecodeForeignVersions(wire::Encode(versions->document));
  if (!again || again->skipped != 0 || again->document != versions->document) std::abort();
}

// Documents about accounts, groups, namespaces and grants.
void AccessDocument(std::string_view body) {
  RoundTrip(body, wire::Decode<wire::UserRequest>, wire::Encode<wire::UserRequest>);
  RoundTrip(body, wire::Decode<wire::NameRequest>, wire::Encode<wire::NameRequest>);
  RoundTrip(body, wire::DecodeNamespaceRequest, wire::Encode<wire::NamespaceRequest>);
  RoundTrip(body, wire::Decode<wire::RoleRequest>, wire::Encode<wire::RoleRequest>);
  RoundTrip(body, wire::Decode<wire::UserList>, wire::Encode<wire::UserList>);
  RoundTrip(body, wire::Decode<wire::MemberList>, wire::Encode<wire::MemberList>);
  RoundTrip(body, wire::Decode<wire::NamespaceList>, wire::Encode<wire::NamespaceList>);
  RoundTrip(body, wire::Decode<wire::GrantList>, wire::Encode<wire::GrantList>);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const unsigned choice = data[0] % 16U;  // '0' to '9' are 0 to 9, 'J' to 'O' 10 to 15
  if (choice >= 8) {
    ProviderDocument(choice - 8, body);
    return 0;
  }
  switch (choice) {
    case 0:
      RoundTrip(body, wire::DecodeDiscovery,
                [](const auto& services) { return wire::EncodeDiscovery(services); });
      break;
    case 1:
      RoundTrip(body, wire::DecodeModuleVersions, wire::EncodeModuleVersions);
      break;
    case 2:
      RoundTrip(body, wire::Decode<wire::ModuleDetails>, [](const wire::ModuleDetails& details) {
        return wire::EncodeModuleDetails(details);
      });
      break;
    case 3:
      RoundTrip(body, wire::DecodeModuleList, wire::EncodeModuleList);
      break;
    case 4:
      RoundTrip(body, wire::Decode<wire::PublishedModule>, wire::Encode<wire::PublishedModule>);
      break;
    case 5:
      RoundTrip(body, wire::Decode<wire::TokenRequest>, wire::Encode<wire::TokenRequest>);
      break;
    case 6:
      (void)wire::Decode<wire::TokenList>(body);
      AccessDocument(body);
      break;
    default:
      (void)wire::DecodeErrors(body);
      (void)wire::Decode<wire::Withdrawal>(body);
      (void)wire::Decode<wire::Restore>(body);
      (void)wire::DecodeModuleLocation(body);
      ForeignDocument(body);
  }
  return 0;
}
