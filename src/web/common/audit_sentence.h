// Says in one sentence what an entry of the audit log is about: "Granted publisher in edge to
// user:chiyo". The words are those that begin with "did.": of an action's variants (did.grant.put,
// did.grant.put.2), the first whose placeholders the entry fills. They may name {target}, {about}
// (the target without its kind), {namespace}, each fact after the change under its name, and each
// fact before it as {was_NAME}. Pure and thread-safe.
#pragma once

#include <string>

#include "web/common/language.h"

namespace koya {
struct AuditEntry;
}

namespace koya::web {

// Plain text: names in it are as stored.
std::string AuditSentence(Language language, const AuditEntry& entry);

}  // namespace koya::web
