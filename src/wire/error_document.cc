#include "wire/error_document.h"

#include "wire/json_reader.h"
#include "wire/schema.h"

namespace koya::wire {

namespace json = boost::json;

std::string EncodeErrors(std::span<const std::string> sentences) {
  json::array errors;
  for (const std::string& sentence : sentences) errors.emplace_back(json::string(sentence));
  json::object document;
  document["errors"] = std::move(errors);
  return json::serialize(document);
}

std::string EncodeError(std::string_view sentence) {
  std::string one(sentence);
  return EncodeErrors(std::span(&one, 1));
}

std::vector<std::string> DecodeErrors(std::string_view body) {
  std::vector<std::string> sentences;
  auto document = ParseObject("the answer", body);
  if (!document) return sentences;
  auto errors = RequiredArray("the answer", *document, "errors");
  if (!errors) return sentences;
  for (const json::value& element : **errors) {
    if (element.is_string()) sentences.emplace_back(element.get_string());
  }
  return sentences;
}

void AddErrorSchemas(SchemaList& list) { AddShape(list, "Errors", "{errors: [text]}"); }

}  // namespace koya::wire
