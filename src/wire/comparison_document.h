// Declares the comparison of two versions as a document, for documents that contain one. Included
// by wire's .cc files only.
#pragma once

#include "wire/comparison.h"
#include "wire/document.h"

namespace koya::wire {

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
