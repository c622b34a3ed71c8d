#include "wire/readme.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<Readme> =
    Document("the README", Required("file", &Readme::file), Optional("lang", &Readme::lang),
             Optional("html", &Readme::html), Optional("truncated", &Readme::truncated));

KOYA_DOCUMENT(Readme);

void AddReadmeSchemas(SchemaList& list) { AddSchema<Readme>(list); }

}  // namespace koya::wire
