// Checks the content of attachments. Input is hostile.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "domain/attachment.h"

namespace koya::wire {

// Checks that an attachment is sound and belongs to a version. The digest of one of `files`, which
// are the version's, must be a subject of an attestation: of a Sigstore bundle (its statement or
// its message digest), or of a line, which is a DSSE envelope, a bundle or a bare in-toto
// statement. An SBOM must state its format. Signatures are not verified. Takes memory of a few
// times the size of `text`. `name` is for messages. Fails: kRefused.
Status CheckAttachment(std::string_view name, AttachmentKind kind, std::string_view text,
                       std::span<const Digest> files);

}  // namespace koya::wire
