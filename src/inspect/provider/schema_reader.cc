#include "inspect/provider/schema_reader.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <limits>

#include "inspect/provider/schema_builder.h"

namespace koya::inspect::provider {
namespace {

namespace json = boost::json;
using SchemaError = boost::system::error_code;
using SchemaText = json::string_view;

constexpr std::size_t kMostSchemaLevels = 256;
// Longer texts, such as huge descriptions, are cut.
constexpr std::size_t kMostOfText = 64 << 10;

// The parser's events, with texts in one piece.
class SchemaEvents {
 public:
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = 1 << 20;
  static constexpr std::size_t max_string_size = max_object_size;

  SchemaEvents(const SchemaOptions& options, SchemaReader::Take take)
      : builder_(options, std::move(take)) {}

  SchemaBuilder& builder() { return builder_; }

  bool on_document_begin(SchemaError&) { return true; }
  bool on_document_end(SchemaError&) { return true; }
  bool on_object_begin(SchemaError& ec) { return Told(builder_.OnBegin(true), ec); }
  bool on_object_end(std::size_t, SchemaError& ec) { return Told(builder_.OnEnd(), ec); }
  bool on_array_begin(SchemaError& ec) { return Told(builder_.OnBegin(false), ec); }
  bool on_array_end(std::size_t, SchemaError& ec) { return Told(builder_.OnEnd(), ec); }
  bool on_key_part(SchemaText part, std::size_t, SchemaError&) { return Collect(part); }
  bool on_key(SchemaText part, std::size_t, SchemaError& ec) {
    Collect(part);
    bool on = builder_.OnKey(text_);
    text_.clear();
    return Told(on, ec);
  }
  bool on_string_part(SchemaText part, std::size_t, SchemaError&) { return Collect(part); }
  bool on_string(SchemaText part, std::size_t, SchemaError& ec) {
    Collect(part);
    bool on = builder_.OnText(text_);
    text_.clear();
    return Told(on, ec);
  }
  bool on_number_part(SchemaText, SchemaError&) { return true; }
  bool on_int64(std::int64_t number, SchemaText, SchemaError& ec) {
    return Told(builder_.OnNumber(number < 0 ? 0 : static_cast<std::uint64_t>(number)), ec);
  }
  bool on_uint64(std::uint64_t number, SchemaText, SchemaError& ec) {
    return Told(builder_.OnNumber(number), ec);
  }
  bool on_double(double, SchemaText, SchemaError& ec) { return Told(builder_.OnNumber(0), ec); }
  bool on_bool(bool flag, SchemaError& ec) { return Told(builder_.OnBool(flag), ec); }
  bool on_null(SchemaError& ec) { return Told(builder_.OnNull(), ec); }
  bool on_comment_part(SchemaText, SchemaError&) { return true; }
  bool on_comment(SchemaText, SchemaError&) { return true; }

 private:
  bool Collect(SchemaText part) {
    if (!builder_.WantsText() || text_.size() >= kMostOfText) return true;
    text_.append(part.data(), std::min(part.size(), kMostOfText - text_.size()));
    return true;
  }
  static bool Told(bool on, SchemaError& ec) {
    if (!on) ec = make_error_code(boost::system::errc::operation_canceled);
    return on;
  }

  SchemaBuilder builder_;
  std::string text_;
};

json::parse_options DeepOptions() {
  json::parse_options options;
  options.max_depth = kMostSchemaLevels;
  return options;
}

}  // namespace

struct SchemaReader::Parser {
  Parser(const SchemaOptions& given, Take take)
      : options(given), events(DeepOptions(), options, std::move(take)) {}

  Status Write(bool more, std::string_view part) {
    SchemaError ec;
    const char* begin = part.empty() ? "" : part.data();
    std::size_t used = events.write_some(more, begin, part.size(), ec);
    if (const std::optional<Error>& error = events.handler().builder().error()) {
      return std::unexpected(*error);
    }
    std::string_view rest = part.substr(std::min(used, part.size()));
    bool garbage = !ec && rest.find_first_not_of(" \t\r\n") != rest.npos;
    if (!ec && !garbage) return {};
    return FailInvalid("the schema is no JSON near byte {}: {}", fed + used,
                       garbage ? "text behind it" : ec.message());
  }

  SchemaOptions options;
  json::basic_parser<SchemaEvents> events;
  std::uint64_t fed = 0;
};

SchemaReader::SchemaReader(const SchemaOptions& options, Take take)
    : parser_(std::make_unique<Parser>(options, std::move(take))) {}

SchemaReader::~SchemaReader() = default;

Status SchemaReader::Feed(std::string_view part) {
  Parser& parser = *parser_;
  if (part.size() > parser.options.bytes - parser.fed) {
    return FailLimit(ErrorKind::kTooLarge, "limits.schema_bytes",
                     fmt::format("the schema is more than the {} bytes of limits.schema_bytes",
                                 parser.options.bytes));
  }
  RETURN_IF_ERROR(parser.Write(true, part));
  parser.fed += part.size();
  return {};
}

Result<SchemaSummary> SchemaReader::Finish() {
  RETURN_IF_ERROR(parser_->Write(false, {}));
  return parser_->events.handler().builder().Finish();
}

}  // namespace koya::inspect::provider
