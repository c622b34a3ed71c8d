// Implements AttachmentCatalog: attachments in the database.
#pragma once

#include <vector>

#include "catalog/attachment_catalog.h"
#include "catalog/sql/engine/database.h"
#include "domain/actor.h"
#include "domain/search_record.h"

namespace koya::sql {

// See AttachmentCatalog. Throws as SOCI does.
Result<std::vector<Attachment>> ListAttachments(Session& session, const SearchSubject& version);

// Within the transaction that adds the version, or that holds its row; the caller calls RenewBlobs.
// Throws as SOCI does, also for a name that the version has.
void Attach(Session& session, const Actor& by, const SearchSubject& version,
            const Attachment& attachment);

}  // namespace koya::sql
