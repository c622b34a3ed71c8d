// The page for whatever has no page: something is not there, not allowed, or went wrong. It needs
// nothing but its arguments: no catalog, no other server.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "domain/search_record.h"
#include "web/form_parts.h"
#include "web/page_frame.h"

namespace koya::web {

struct MessagePage {
  // The answer's status, from 400 to 599. There are words for 400, 401, 403, 404, 405, 410, 413,
  // 414, 429, 431, 500, 503 and 507; other statuses have those of 400 or 500.
  unsigned status = 500;
  // What an Error's message says, in English; "" if there is nothing to say beyond the status. Not
  // for 404 where somebody may not know what exists.
  std::string text;
  // The kind of error, "not_found", which has a page in the documentation; "": the reader cannot
  // see that, or it is of no kind.
  std::string code;
  std::string request_id;               // to be quoted to an administrator; "" if there is none
  std::chrono::seconds retry_after{0};  // of 429 and 503; 0: unknown
  // Of 404: what may have been meant, in words for a search; "": nobody may search. And what is
  // named nearly so.
  std::string looked_for;
  std::vector<SearchHit> near;
  bool is_stale_form = false;  // of 403: the form's csrf token is missing or has ended
  std::string again;  // of that: where the form begins anew; LocalPath applies; "": nowhere
  KeptForm kept;      // of that: what was typed, if that is too long for `again`
  // Of 5xx: where the state of this registry can be seen, an address of http or https; "": nowhere.
  std::string status_url = {};
  bool offers_health = false;     // of 5xx: the reader may see how the servers are
  bool is_unstored_form = false;  // of 503: a form was sent, of which nothing is known to be stored
};
// frame.csrf may be empty.
std::string RenderMessage(const PageFrame& frame, const MessagePage& page);

}  // namespace koya::web
