// Declares the documents that several others contain: an attachment, a warning, the comparison of
// two versions. Included by wire's .cc files only.
#pragma once

#include "wire/attachment.h"
#include "wire/comparison.h"
#include "wire/document.h"
#include "wire/read_warning.h"

namespace koya::wire {

template <>
inline constexpr auto kDocument<Attachment> = Document(
    "the attachment", Required("name", &Attachment::name), Required("url", &Attachment::url),
    Required("sha256", &Attachment::sha256), Optional("size", &Attachment::size));

template <>
inline constexpr auto kDocument<ReadWarning> =
    Document("the warning", Optional("file", &ReadWarning::file),
             Optional("line", &ReadWarning::line), Required("text", &ReadWarning::text));

template <>
inline constexpr auto kDocument<ComparedChange> = Document(
    "the change", Optional("section", &ComparedChange::section),
    Required("kind", &ComparedChange::kind), Required("what", &ComparedChange::what),
    Optional("where", &ComparedChange::where), OrAbsent("was", &ComparedChange::was),
    Required("severity", &ComparedChange::severity), Optional("text", &ComparedChange::text),
    OrAbsent("folder", &ComparedChange::folder), OrAbsent("item", &ComparedChange::item),
    OrAbsent("name", &ComparedChange::name), OrAbsent("code", &ComparedChange::code),
    OrAbsent("arguments", &ComparedChange::arguments));

template <>
inline constexpr auto kDocument<Comparison> =
    Document("the comparison", Required("from", &Comparison::from), Required("to", &Comparison::to),
             Required("verdict", &Comparison::verdict), Required("given", &Comparison::given),
             Optional("agrees", &Comparison::agrees), OrNull("wanted", &Comparison::wanted),
             Optional("text", &Comparison::text), Optional("changes", &Comparison::changes));

}  // namespace koya::wire
