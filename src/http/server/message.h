// Requests and responses as handlers see them, and responses of the engine itself. Free of Asio and
// of registry terms.
//
// A Request's views stay valid until its handler's coroutine has ended. A Response owns, or shares
// ownership of, everything that it sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"
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

  // The value of the first field with `name` (letter case ignored), or nullopt.
  std::optional<std::string_view> FindField(std::string_view name) const;
  // The same, or "".
  std::string_view Get(std::string_view name) const;
};

// A file that is still being written while it is sent.
class FileGrowth {
 public:
  virtual ~FileGrowth() = default;
  // Waits until bytes beyond `offset` may be sent; returns the end of those bytes (> offset). The
  // end is before the file's last byte as long as the file is not known to be complete and correct.
  // Fails if it never will be. Nothing is sent before the first call returns, so its failure
  // becomes a response (502, 503, 504 or 500); a later failure cuts the connection.
  virtual Task<std::uint64_t> WaitBeyond(std::uint64_t offset) = 0;
  // True if the last byte of a range, too, is held back until the whole file is known to be
  // correct. Otherwise a client that requests a part may get all of it earlier.
  virtual bool parts_wait() const { return false; }
};

// An open file (or a blob that is one). `owner` keeps the descriptor open, or the memory valid,
// while it is sent.
struct FileBody {
  std::shared_ptr<const void> owner;
  int descriptor = -1;
  std::uint64_t size = 0;                // when complete
  std::shared_ptr<FileGrowth> growth{};  // null: it is complete
  const char* memory = nullptr;          // its `size` bytes, instead of a descriptor
};

class MemoryFile;

// A rendered response that many requests share: identity and gzip bytes, each with its own strong
// ETag, and the header fields of both, laid out once so that a response is one send. Immutable.
struct Document {
  std::string content_type;
  std::string vary;  // e.g. "Accept-Encoding"
  std::string body;
  std::string gzip_body;  // empty: always sent uncompressed
  std::string etag;       // quoted
  std::string gzip_etag;  // quoted; differs from etag
  unsigned status = 200;
  std::int64_t fresh_until = 0;  // Unix seconds, for caches; 0: until something changes
  // A copy of both bodies, plain and then gzip, that is sent without copying. Null for small
  // documents.
  std::shared_ptr<const MemoryFile> pages;
  // The item under which the response is counted. It is not sent, and does not distinguish
  // documents. Null: not counted.
  std::shared_ptr<const void> counted_as;
  // Complete header blocks up to, not including, the fields that differ between responses (Date,
  // X-Request-Id, Connection) and the blank line; created by MakeDocument.
  std::string head_identity;
  std::string head_gzip;
  std::string head_identity_304;
  std::string head_gzip_304;

  std::size_t cost() const;  // memory use in bytes, for a cache's limit
};
struct DocumentOptions {
  std::string content_type = "application/json";
  std::string vary = "Accept-Encoding";
  std::string cache_control = "no-cache";
  std::vector<std::pair<std::string, std::string>> fields;  // additional ones, e.g. X-Terraform-Get
  unsigned status = 200;
  std::int64_t fresh_until = 0;              // copied into the document
  std::shared_ptr<const void> counted_as{};  // likewise
  bool compress = true;                      // create the gzip form if it is smaller
  // Sent many times, which is worth the best compression and a memory file that the kernel sends
  // without a copy. false: made for one response, as quickly as possible.
  bool lasting = true;
};
// Compresses and hashes: create bodies of more than about 64 KiB on a worker, not on a loop.
std::shared_ptr<const Document> MakeDocument(std::string body, DocumentOptions options);

struct Response {
  // For a ByteSource, nothing is sent before its first bytes are available, so a failure of the
  // first Read() becomes a response (504, 503, 502 or 500). A later failure cuts the connection:
  // the client must never take a part for the whole.
  using Body = std::variant<std::monostate, std::string, std::shared_ptr<const Document>, FileBody,
                            std::unique_ptr<ByteSource>>;

  unsigned status = 200;
  // In addition to the fields of the engine: Content-Length, Transfer-Encoding, Connection, Date,
  // Server, X-Request-Id, ETag (see below), Accept-Ranges and Content-Range. Control characters in
  // a value become spaces.
  std::vector<std::pair<std::string, std::string>> fields;
  Body body;
  // Strong validator for FileBody (quoted): enables If-None-Match, If-Range and Range.
  std::string etag;
  // Set with a ByteSource whose length is known; otherwise it is sent chunked.
  std::optional<std::uint64_t> content_length;
  // The reason for this response, for the log only.
  std::string log_detail;
  // The limit that caused this response, for the observer.
  LimitName limit{};
  // As Document::counted_as, for a response without a document.
  std::shared_ptr<const void> counted_as{};

  static Response FromDocument(std::shared_ptr<const Document> document);
  static Response Json(unsigned status, std::string body);
};

// A request that no handler can answer. The creator of the server provides the response's form.
struct EngineError {
  unsigned status = 500;  // 400, 405, 408, 413, 414, 429, 431, 500, 503, …
  std::string_view message;
  // The request, as far as it could be read. For a head that is too long: its method, and of its
  // fields Accept and Accept-Language, if they are near enough. For data that is not HTTP: nothing.
  const Request& request;
  std::string_view target;  // as sent; for a head that is too long, its beginning; "": unknown
};

// Renders a response: its body and the fields that describe the body. The engine sets the status,
// forbids caching, and adds the fields that the status requires (Allow, Retry-After). Runs on an
// event loop: must be thread-safe, must not block, and should not throw.
using ErrorAnswer = std::function<Response(const EngineError&)>;

}  // namespace koya::http
