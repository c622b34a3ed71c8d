// How documents hold an attachment. Included by wire's .cc files only.
#pragma once

#include "wire/attachment.h"
#include "wire/document.h"

namespace koya::wire {

template <>
constexpr auto kDocument<Attachment> = Document(
    "the attachment", Required("name", &Attachment::name), Required("url", &Attachment::url),
    Required("sha256", &Attachment::sha256), Optional("size", &Attachment::size));

}  // namespace koya::wire
