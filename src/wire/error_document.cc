#include "wire/error_document.h"

#include <utility>

#include "wire/json_reader.h"
#include "wire/schema.h"

namespace koya::wire {

namespace json = boost::json;

std::string EncodeErrors(std::span<const std::string> sentences, ErrorKind kind, unsigned status) {
  json::array errors;
  for (const std::string& sentence : sentences) errors.emplace_back(json::string(sentence));
  json::object document;
  document["errors"] = std::move(errors);
  document["code"] = ErrorKindName(kind);
  document["status"] = status == 0 ? json::value(nullptr) : json::value(status);
  return json::serialize(document);
}

ErrorDocument DecodeErrorDocument(std::string_view body) {
  ErrorDocument said;
  auto document = ParseObject("the response", body);
  if (!document) return said;
  auto errors = RequiredArray("the response", *document, "errors");
  if (!errors) return said;
  for (const json::value& element : **errors) {
    if (element.is_string()) said.sentences.emplace_back(element.get_string());
  }
  said.code = OptionalString("the response", *document, "code").value_or("");
  return said;
}

std::vector<std::string> DecodeErrors(std::string_view body) {
  return DecodeErrorDocument(body).sentences;
}

void AddErrorSchemas(SchemaList& list) {
  AddShape(list, "Errors", "{errors: [text], code: text, status: 400..599}");
}

}  // namespace koya::wire
