#include "blobs/s3/storage_marker.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "base/file.h"
#include "base/file_io.h"
#include "base/text.h"

namespace koya {
namespace {

constexpr std::size_t kMostMarkerBytes = 4096;
constexpr std::string_view kMarkerHead = "{\"catalog\":\"";
constexpr std::string_view kMarkerMiddle = "\",\"url\":\"";
constexpr std::string_view kMarkerEnd = "\"}\n";

// What stands in a JSON text as it is: neither ids nor URLs need more.
bool IsPlainMarkerValue(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) {
    return c > ' ' && c < '\x7f' && c != '"' && c != '\\';
  });
}

Result<std::string> EncodeMarker(const StorageMarker& marker) {
  std::string text =
      fmt::format("{}{}{}{}{}", kMarkerHead, marker.catalog, kMarkerMiddle, marker.url, kMarkerEnd);
  const bool plain = IsPlainMarkerValue(marker.catalog) && IsPlainMarkerValue(marker.url);
  if (plain && text.size() <= kMostMarkerBytes) return text;
  return FailInvalid(
      "the object store cannot be marked as that of {}: server.url has "
      "characters that are not allowed in a URL",
      Printable(marker.url));
}

// Accepts only the output of EncodeMarker, the only writer of markers.
std::optional<StorageMarker> DecodeMarker(std::string_view text) {
  if (!text.starts_with(kMarkerHead) || !text.ends_with(kMarkerEnd)) return std::nullopt;
  text.remove_prefix(kMarkerHead.size());
  const std::size_t middle = text.find(kMarkerMiddle);
  if (middle == text.npos) return std::nullopt;
  std::string_view url = text.substr(middle + kMarkerMiddle.size());
  if (url.size() < kMarkerEnd.size()) return std::nullopt;
  url.remove_suffix(kMarkerEnd.size());
  StorageMarker marker{std::string(text.substr(0, middle)), std::string(url)};
  const bool plain = IsPlainMarkerValue(marker.catalog) && IsPlainMarkerValue(marker.url);
  return plain ? std::optional(std::move(marker)) : std::nullopt;
}

Failure ForeignMarker() {
  return FailRefused(
      "Koya did not write the object {} in the store: check blobs.url, or take "
      "the store over with \"koya admin adopt-storage\"",
      kMarkerName);
}

Task<std::string> GetText(ObjectClient& objects) {
  std::string text;
  ObjectSink sink = [&text](std::span<const std::byte> bytes) -> Status {
    if (text.size() + bytes.size() > kMostMarkerBytes) return ForeignMarker();
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  std::stop_token never;
  CO_RETURN_IF_ERROR(
      co_await objects.Get(std::string(kMarkerName), {}, std::move(sink), std::move(never)));
  co_return text;
}

Task<void> PutText(ObjectClient& objects, std::string text) {
  UniqueFd file(::memfd_create("koya-marker", MFD_CLOEXEC));
  int failed = file.valid() ? WriteAll(file.get(), std::as_bytes(std::span(text))) : errno;
  if (failed != 0) co_return Failure(ErrnoError("write the marker of the object store", failed));
  ObjectBody body{file.get(), text.size(), Digest::Of(text)};
  co_return co_await objects.Put(std::string(kMarkerName), body);
}

Failure AnothersStore(const StorageMarker& theirs, const StorageMarker& ours) {
  return FailRefused(
      "the object store belongs to another catalog: {} at {}, while this one is {} at "
      "{}. Name another place with blobs.url; or, if no server uses that catalog any "
      "longer, take the store over with \"koya admin adopt-storage\"",
      theirs.catalog, theirs.url, ours.catalog, ours.url);
}

}  // namespace

Task<std::optional<StorageMarker>> ReadMarker(ObjectClient& objects) {
  Result<std::string> text = co_await GetText(objects);
  if (!text && text.error().kind == ErrorKind::kNotFound) co_return std::nullopt;
  if (!text) co_return Failure(std::move(text).error());
  std::optional<StorageMarker> marker = DecodeMarker(*text);
  if (!marker) co_return ForeignMarker();
  co_return marker;
}

Task<void> CheckMarker(ObjectClient& objects, StorageMarker ours) {
  ASSIGN_OR_CO_RETURN(std::optional<StorageMarker> found, co_await ReadMarker(objects));
  if (!found) {
    CO_RETURN_IF_ERROR(co_await AdoptStorage(objects, ours));
    // Another catalog may have found none either: the one that wrote last has it.
    ASSIGN_OR_CO_RETURN(found, co_await ReadMarker(objects));
  }
  if (found && *found != ours) co_return AnothersStore(*found, ours);
  co_return Status();
}

Task<void> AdoptStorage(ObjectClient& objects, StorageMarker ours) {
  ASSIGN_OR_CO_RETURN(std::string text, EncodeMarker(ours));
  co_return co_await PutText(objects, std::move(text));
}

}  // namespace koya
