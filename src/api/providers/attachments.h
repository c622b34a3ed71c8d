// Attachments of modules' versions and of providers' releases in documents.
#pragma once

#include <string>
#include <vector>

#include "base/task.h"
#include "service/common/attachments.h"
#include "web/common/view.h"
#include "wire/attachment.h"

namespace koya::api {

struct Call;

// The attachments of a version, with plain URLs.
Task<std::vector<wire::Attachment>> ListAttachments(Call& call, service::Attachments::Owner owner);

// The same for a page: this reader can open the URLs.
Task<std::vector<web::ShownAttachment>> ShowAttachments(Call& call,
                                                        service::Attachments::Owner owner);

}  // namespace koya::api
