// Is a login.v1 object one that "tofu login" and "terraform login" can work with? Pure.
#pragma once

#include <string_view>

#include "doctor/finding.h"
#include "http/url.h"

namespace koya::doctor {

// `value`: the JSON text of the discovery document's "login.v1"; `document`: where it came from.
Findings JudgeLogin(std::string_view value, const http::Url& document);

}  // namespace koya::doctor
