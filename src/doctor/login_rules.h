// Checks whether "tofu login" and "terraform login" can use a login.v1 object. Pure.
#pragma once

#include <string_view>

#include "doctor/finding.h"
#include "http/url.h"

namespace koya::doctor {

// `value`: the JSON text of the discovery document's "login.v1"; `document`: the document's URL.
Findings JudgeLogin(std::string_view value, const http::Url& document);

}  // namespace koya::doctor
