// Document: heads laid out once, so that answering appends them and the few fields that differ.
#include <zlib.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/encoding.h"
#include "base/sha256.h"
#include "http/server/answer_plan.h"
#include "http/server/memory_file.h"
#include "http/server/message.h"

namespace koya::http {
namespace {

enum class GzipEffort {
  kBest,   // for text that is compressed once and sent often
  kQuick,  // for text that is sent once: a quarter of the time, some 5 % more bytes
};

constexpr int kGzipWindow = 15 + 16;  // the largest window, with a gzip wrapper
constexpr int kMemoryLevel = 8;
constexpr int kQuickLevel = 4;

// The gzip form (no name, no time: equal input and effort give equal output), or "" on failure.
std::string Gzip(std::string_view text, GzipEffort effort) {
  z_stream stream{};
  const int level = effort == GzipEffort::kBest ? Z_BEST_COMPRESSION : kQuickLevel;
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return {};
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  // zlib reads through a pointer it declares mutable.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  bool complete = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(complete ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

constexpr std::size_t kEtagBytes = 12;
constexpr std::size_t kLeastForPages = 16 * 1024;  // below, copying costs at most a system call
constexpr std::size_t kLeastToCompress = 256;      // below, the gzip form saves less than a packet

std::string EtagOf(std::string_view body, std::string_view suffix) {
  Sha256Bytes digest = Sha256(body);
  std::string etag = "\"";
  etag += Base64UrlEncode(std::span(digest).first(kEtagBytes));
  etag += suffix;
  return etag += '"';
}

void AppendFieldUnlessEmpty(std::string& head, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  head.append(name).append(": ").append(value).append("\r\n");
}

struct Form {
  std::string_view etag;
  std::string_view encoding;  // "" for the plain form
  std::size_t size = 0;
};

std::string Head(unsigned status, const DocumentOptions& options, Form form) {
  std::string head(StatusLine(status));
  if (!HasNoBody(status)) {
    AppendFieldUnlessEmpty(head, "Content-Type", options.content_type);
    AppendFieldUnlessEmpty(head, "Content-Length", std::to_string(form.size));
    AppendFieldUnlessEmpty(head, "Content-Encoding", form.encoding);
  }
  if (options.status == 200) AppendFieldUnlessEmpty(head, "ETag", form.etag);
  AppendFieldUnlessEmpty(head, "Cache-Control", options.cache_control);
  AppendFieldUnlessEmpty(head, "Vary", options.vary);
  for (const auto& [name, value] : options.fields) AppendFieldUnlessEmpty(head, name, value);
  return head;
}

}  // namespace

std::size_t Document::cost() const {
  std::size_t copies = pages ? body.size() + gzip_body.size() : 0;
  return sizeof(Document) + copies + content_type.capacity() + vary.capacity() + body.capacity() +
         gzip_body.capacity() + etag.capacity() + gzip_etag.capacity() + head_identity.capacity() +
         head_gzip.capacity() + head_identity_304.capacity() + head_gzip_304.capacity();
}

std::shared_ptr<const Document> MakeDocument(std::string body, DocumentOptions options) {
  auto document = std::make_shared<Document>();
  document->status = options.status;
  document->fresh_until = options.fresh_until;
  document->counted_as = options.counted_as;
  document->etag = EtagOf(body, "");
  Form plain{document->etag, "", body.size()};
  document->head_identity = Head(options.status, options, plain);
  document->head_identity_304 = Head(304, options, plain);
  if (options.compress && body.size() >= kLeastToCompress) {
    std::string packed = Gzip(body, options.lasting ? GzipEffort::kBest : GzipEffort::kQuick);
    if (!packed.empty() && packed.size() < body.size()) document->gzip_body = std::move(packed);
    document->gzip_body.shrink_to_fit();
  }
  if (!document->gzip_body.empty()) {
    // Other bytes, another ETag: the same body may be made in both ways.
    document->gzip_etag = EtagOf(body, options.lasting ? "-gzip" : "-gz");
    Form packed{document->gzip_etag, "gzip", document->gzip_body.size()};
    document->head_gzip = Head(options.status, options, packed);
    document->head_gzip_304 = Head(304, options, packed);
  }
  if (options.lasting && body.size() >= kLeastForPages) {
    document->pages = MemoryFile::Make(body, document->gzip_body);
  }
  document->content_type = std::move(options.content_type);
  document->vary = std::move(options.vary);
  document->body = std::move(body);
  return document;
}

}  // namespace koya::http
