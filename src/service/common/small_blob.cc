#include "service/common/small_blob.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "base/offload.h"
#include "blobs/staged_blob.h"
#include "domain/provider_record.h"

namespace koya::service {
namespace {

class TextBlob final : public Blob {
 public:
  explicit TextBlob(std::string text) : text_(std::move(text)) {}
  std::uint64_t size() const override { return text_.size(); }
  std::optional<int> file_descriptor() const override { return std::nullopt; }
  Task<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) override {
    if (offset >= text_.size()) co_return std::size_t{0};
    auto rest = std::as_bytes(std::span(text_)).subspan(offset);
    rest = rest.first(std::min(rest.size(), into.size()));
    std::ranges::copy(rest, into.begin());
    co_return rest.size();
  }

 private:
  const std::string text_;
};

}  // namespace

std::shared_ptr<Blob> BlobOfText(std::string text) {
  return std::make_shared<TextBlob>(std::move(text));
}

Task<ReleaseDocument> StoreText(BlobStore& blobs, std::string text) {
  auto stage = [&blobs, &text] { return StageText(blobs, text); };
  ASSIGN_OR_CO_RETURN(StagedBlob staged, co_await Offload(blobs.workers(), std::move(stage)));
  CO_RETURN_IF_ERROR(co_await staged.writer->Commit());
  co_return ReleaseDocument{staged.info.digest, staged.info.size};
}

Task<std::string> ReadBytes(Blob& blob) {
  std::string text(blob.size(), '\0');
  std::span<std::byte> bytes = std::as_writable_bytes(std::span(text));
  for (std::size_t done = 0; done < text.size();) {
    ASSIGN_OR_CO_RETURN(std::size_t got, co_await blob.ReadAt(done, bytes.subspan(done)));
    if (got == 0) break;
    done += got;
  }
  co_return text;
}

Task<std::string> ReadWhole(Blob& blob, Digest digest) {
  ASSIGN_OR_CO_RETURN(std::string text, co_await ReadBytes(blob));
  if (Digest::Of(text) == digest) co_return text;
  co_return Fail(ErrorKind::kCorrupt,
                 fmt::format("the bytes stored under {} are damaged: \"koya verify\" shows where "
                             "they belong, and how to repair it",
                             digest.ToString()));
}

Task<std::string> ReadText(BlobStore& blobs, ReleaseDocument document) {
  ASSIGN_OR_CO_RETURN(std::shared_ptr<Blob> blob, co_await blobs.Open(document.digest));
  co_return co_await ReadWhole(*blob, document.digest);
}

}  // namespace koya::service
