// Front matter: whatever a text holds, it is read in bounds, each line that could not be read is
// told with a reason, and the body is the end of the text.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "markup/front_matter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const koya::markup::FrontMatter read = koya::markup::ReadFrontMatter(text);
  if (!text.ends_with(read.body)) std::abort();
  if (read.unread.size() > 20) std::abort();
  for (const auto& unread : read.unread) {
    if (unread.line == 0 || unread.why.empty()) std::abort();
  }
  for (const std::string* value :
       {&read.page_title, &read.subcategory, &read.description, &read.layout}) {
    if (value->size() > 1003 || value->contains('\n') || !koya::IsUtf8(*value)) std::abort();
  }
  return 0;
}
