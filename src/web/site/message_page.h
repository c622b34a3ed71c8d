// Renders error pages: not found, denied, or failed. It depends only on its arguments: neither on
// the catalog nor on another server.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "domain/search_record.h"
#include "web/common/page_frame.h"

namespace koya::web {

struct MessagePage {
  // Status of the response, 400 to 599. There are words for 400, 401, 403, 404, 405, 410, 413, 414,
  // 429, 431, 500, 503 and 507; other statuses use those of 400 or 500.
  unsigned status = 500;
  // An Error's message, in English; "": nothing to add to the status. Not for a 404 that must not
  // reveal what exists.
  std::string text;
  // The kind of error, "not_found", which has a page in the documentation; "": the reader cannot
  // see that page, or the error has no kind.
  std::string code;
  std::string request_id;               // to report to an administrator; "": none
  std::chrono::seconds retry_after{0};  // of 429 and 503; 0: unknown
  // Of 404: search words for the probable target ("": the reader may not search), and packages with
  // similar names.
  std::string looked_for;
  std::vector<SearchHit> near;
  bool is_stale_form = false;  // of 403: the form's csrf token is missing or has expired
  std::string again;           // of that: path of the empty form; LocalPath applies; "": none
  // Of 5xx: an http or https URL that shows the state of this registry; "": none.
  std::string status_url = {};
  bool offers_health = false;     // of 5xx: the reader may see the servers' health
  bool is_unstored_form = false;  // of 503: a form was sent, perhaps without effect
};
// frame.csrf may be empty.
std::string RenderMessage(const PageFrame& frame, const MessagePage& page);

}  // namespace koya::web
