#include "service/common/attachments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/byte_source.h"
#include "base/file_io.h"
#include "base/offload.h"
#include "base/text.h"
#include "blobs/blob_store.h"
#include "catalog/catalog.h"
#include "domain/module_record.h"
#include "domain/provider_record.h"
#include "domain/search_record.h"
#include "service/common/blob_io.h"
#include "wire/attachment_check.h"

namespace koya::service {
namespace {

SearchSubject SubjectOf(const Attachments::Owner& owner) {
  return std::visit(
      [&owner](const auto& address) { return SearchSubject::Of(address, owner.version); },
      owner.address);
}

Result<std::string> ReadAll(int descriptor, std::uint64_t size) {
  std::string text(size, '\0');
  std::span<std::byte> rest = std::as_writable_bytes(std::span(text));
  while (!rest.empty()) {
    auto got = ReadSome(descriptor, rest, size - rest.size());
    if (!got || *got == 0) {
      return Fail(ErrorKind::kInternal, "the server cannot read the attachment again",
                  fmt::format("read: {}", got ? 0 : got.error()));
    }
    rest = rest.subspan(*got);
  }
  return text;
}

}  // namespace

UploadLimit AttachmentLimits::ForUpload() const {
  return {
      .bytes = bytes,
      .what = "the attachment",
      .advice = "leave out what its readers do not need, or have limits.attachment_bytes raised",
      .limit = "limits.attachment_bytes"};
}

Status CheckAttachmentFile(std::string_view name, AttachmentKind kind, int descriptor,
                           std::uint64_t size, std::span<const Digest> files) {
  ASSIGN_OR_RETURN(const std::string text, ReadAll(descriptor, size));
  return wire::CheckAttachment(name, kind, text, files);
}

// A version that is there, and the digests that attestations of it may name.
struct Attachments::Found {
  SearchSubject subject;
  std::vector<Digest> files;
};

Task<Attachments::Found> Attachments::Find(Owner owner) {
  if (const auto* module = std::get_if<ModuleAddress>(&owner.address)) {
    ASSIGN_OR_CO_RETURN(ModuleVersionRecord record,
                        co_await catalog_.FindVersion(*module, std::move(owner.version)));
    co_return Found{SearchSubject::Of(record.address, record.version),
                    {record.digest, record.upload_digest}};
  }
  ASSIGN_OR_CO_RETURN(ProviderRelease release,
                      co_await catalog_.FindRelease(std::get<ProviderAddress>(owner.address),
                                                    std::move(owner.version)));
  Found found{SearchSubject::Of(release.address, release.version),
              {release.sums.digest, release.signature.digest}};
  for (const ProviderPackage& each : release.packages) found.files.push_back(each.digest);
  co_return found;
}

Task<std::vector<Attachment>> Attachments::List(Owner owner) {
  co_return co_await catalog_.ListAttachments(SubjectOf(owner));
}

Task<OpenAttachment> Attachments::Open(Owner owner, std::string name) {
  ASSIGN_OR_CO_RETURN(const Found found, co_await Find(owner));
  ASSIGN_OR_CO_RETURN(const std::vector<Attachment> list,
                      co_await catalog_.ListAttachments(found.subject));
  auto attachment = std::ranges::find(list, name, &Attachment::name);
  if (attachment == list.end()) {
    co_return FailNotFound("{} {} has no attachment \"{}\"", found.subject.address,
                           found.subject.version.ToString(), Printable(name));
  }
  auto blob = co_await blobs_.Open(attachment->digest);
  if (!blob && blob.error().kind == ErrorKind::kNotFound) {
    co_return Fail(ErrorKind::kCorrupt,
                   fmt::format("the attachment {} is missing from this server's storage: upload "
                               "the same file again, or have its operator restore it from a backup",
                               name),
                   "no blob " + attachment->digest.ToString());
  }
  if (!blob) co_return Failure(std::move(blob).error());
  co_return OpenAttachment{*attachment, *std::move(blob)};
}

Task<Attachments::Added> Attachments::Add(Publishing publishing, Owner owner, std::string name,
                                          ByteSource& upload) {
  ASSIGN_OR_CO_RETURN(const bool overridden, co_await CheckMayPublish(catalog_, publishing));
  ASSIGN_OR_CO_RETURN(const AttachmentKind kind, ParseAttachmentName(name));
  ASSIGN_OR_CO_RETURN(const Found found, co_await Find(std::move(owner)));
  ASSIGN_OR_CO_RETURN(StagedBlob staged, co_await StageUpload(blobs_, upload, limits_.ForUpload()));
  auto check = [&] {
    return CheckAttachmentFile(name, kind, staged.writer->staged_file(), staged.info.size,
                               found.files);
  };
  CO_RETURN_IF_ERROR(co_await Offload(pool_, check));
  CO_RETURN_IF_ERROR(co_await staged.writer->Commit());
  Added added{.attachment = {
                  .name = std::move(name), .digest = staged.info.digest, .size = staged.info.size}};
  if (overridden) {
    ASSIGN_OR_CO_RETURN(const std::vector<Attachment> there,
                        co_await catalog_.ListAttachments(found.subject));
    if (std::ranges::find(there, added.attachment) == there.end()) {
      CO_RETURN_IF_ERROR(co_await RecordBreakGlass(catalog_, clock_, publishing));
    }
  }
  ASSIGN_OR_CO_RETURN(added.created,
                      co_await catalog_.AddAttachment(publishing.by.actor, found.subject,
                                                      added.attachment, limits_.count));
  co_return added;
}

}  // namespace koya::service
