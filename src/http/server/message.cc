#include "http/server/message.h"

#include "base/text.h"

namespace koya::http {

std::optional<std::string_view> Request::FindField(std::string_view name) const {
  for (const Field& field : fields) {
    if (EqualsIgnoreCase(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::string_view Request::Get(std::string_view name) const { return FindField(name).value_or(""); }

Response Response::FromDocument(std::shared_ptr<const Document> document) {
  Response response;
  response.status = document->status;
  response.body = std::move(document);
  return response;
}

Response Response::Json(unsigned status, std::string body) {
  Response response;
  response.status = status;
  response.fields.emplace_back("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

}  // namespace koya::http
