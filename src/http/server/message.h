// What a handler sees of a request, and what it answers with. No Asio here, no registry words.
//
// A Request's views stay valid until its handler's coroutine has ended. A Response owns, or shares
// ownership of, all that it sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/byte_source.h"
#include "base/error.h"
#include "base/task.h"

namespace koya::http {

enum class Method { kGet, kHead, kPut, kPost, kDelete, kPatch, kOptions, kTrace, kConnect, kOther };

struct Field {
  std::string_view name;
  std::string_view value;
};

struct Request {
  Method method = Method::kGet;
  std::string_view method_text;
  std::string_view path;   // percent-decoded once; begins with '/', holds no "..", "//" or NUL
  std::string_view query;  // as sent, without '?'
  std::span<const Field> fields;
  std::string_view host;    // the Host field
  std::string_view remote;  // the client's address; behind a trusted proxy, the one it names
  std::string_view request_id;
  bool secure = false;  // TLS here, or X-Forwarded-Proto: https from a trusted proxy
  bool has_body = false;
  std::optional<std::uint64_t> content_length;

  // The value of the first field called `name` (letter case ignored), or nullopt.
  std::optional<std::string_view> Find(std::string_view name) const;
  // The same, or "".
  std::string_view Get(std::string_view name) const;
};

// A file that is still being written while it is sent.
class FileGrowth {
 public:
  virtual ~FileGrowth() = default;
  // Waits until bytes beyond `offset` may be sent; returns where those end (> offset): before the
  // file's last byte as long as it is not known to be whole and right. Fails when it will never be.
  // Nothing is sent before the first call returns, so that its failure is answered (502, 503, 504
  // or 500); a later one cuts the connection.
  virtual Task<std::uint64_t> WaitBeyond(std::uint64_t offset) = 0;
  // Whether of a range, too, the last byte is kept back until the whole is known to be right. Else
  // whoever asks for a part may get all of it before.
  virtual bool parts_wait() const { return false; }
};

// An open file (or a blob that is one). `owner` keeps the descriptor open, or the bytes where they
// are, while it is sent.
struct FileBody {
  std::shared_ptr<const void> owner;
  int descriptor = -1;
  std::uint64_t size = 0;                // once it is whole
  std::shared_ptr<FileGrowth> growth{};  // null: it is whole
  const char* memory = nullptr;          // its `size` bytes, in place of a descriptor
};

class MemoryFile;

// A rendered answer that many requests share: identity and gzip bytes, each with its own strong
// ETag, and the header fields of both, laid out once so that answering is one send. Immutable.
struct Document {
  std::string content_type;
  std::string vary;  // e.g. "Accept-Encoding"
  std::string body;
  std::string gzip_body;  // empty: sent plain to everybody
  std::string etag;       // quoted
  std::string gzip_etag;  // quoted; differs from etag
  unsigned status = 200;
  std::int64_t fresh_until = 0;  // Unix seconds, for whoever keeps it; 0: until something changes
  // A copy of both bodies, plain and then gzip, that goes out uncopied. Null for small documents.
  std::shared_ptr<const MemoryFile> pages;
  // As what it is counted, for whoever counts answers: not sent, and no part of what tells
  // documents apart. Null: as nothing.
  std::shared_ptr<const void> counted_as;
  // Complete header blocks up to, not including, the fields that differ between answers (Date,
  // X-Request-Id, Connection) and the blank line; made by MakeDocument.
  std::string head_identity;
  std::string head_gzip;
  std::string head_identity_304;
  std::string head_gzip_304;

  std::size_t cost() const;  // bytes it takes, for a cache's bound
};
struct DocumentOptions {
  std::string content_type = "application/json";
  std::string vary = "Accept-Encoding";
  std::string cache_control = "no-cache";
  std::vector<std::pair<std::string, std::string>> fields;  // further ones, e.g. X-Terraform-Get
  unsigned status = 200;
  std::int64_t fresh_until = 0;              // copied into the document
  std::shared_ptr<const void> counted_as{};  // the same
  bool compress = true;                      // make the gzip form when that makes it smaller
  // Sent to many, which is worth the best compression, and bytes that the kernel sends without a
  // copy. false: made for one answer, as quickly as may be.
  bool lasting = true;
};
// Compresses and hashes: bodies beyond some 64 KiB are better made on a worker than on a loop.
std::shared_ptr<const Document> MakeDocument(std::string body, DocumentOptions options);

struct Response {
  // Of a ByteSource, nothing is sent before the first bytes are there, so a failure of the first
  // Read() is answered (504, 503, 502 or 500); a later one cuts the connection: the client must
  // never take a part for the whole.
  using Body = std::variant<std::monostate, std::string, std::shared_ptr<const Document>, FileBody,
                            std::unique_ptr<ByteSource>>;

  unsigned status = 200;
  // Besides those the engine sends: Content-Length, Transfer-Encoding, Connection, Date, Server,
  // X-Request-Id, ETag (see below), Accept-Ranges and Content-Range. Control characters in a value
  // become spaces.
  std::vector<std::pair<std::string, std::string>> fields;
  Body body;
  // Strong validator for FileBody (quoted): enables If-None-Match, If-Range and Range.
  std::string etag;
  // Set with a ByteSource whose length is known; otherwise it is sent chunked.
  std::optional<std::uint64_t> content_length;
  // Log-only words about why this answer is what it is.
  std::string log_detail;
  // The bound whose being reached this answer tells of, for the observer.
  LimitName limit{};
  // Document::counted_as, of an answer that has no document.
  std::shared_ptr<const void> counted_as{};

  static Response FromDocument(std::shared_ptr<const Document> document);
  static Response Json(unsigned status, std::string body);
};

}  // namespace koya::http
