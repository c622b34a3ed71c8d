// Response to ".../:version/download": the location of the archive, in the form that each client
// expects.
#pragma once

#include <string>
#include <string_view>

namespace koya::http {
struct Request;
}

namespace koya::api {

struct Rendering;

// The two forms are cached side by side, under these variants of the path.
inline constexpr std::string_view kLocationInJson = "json";
inline constexpr std::string_view kLocationInField = "";

// OpenTofu reads the body of a 200; Terraform and Dependabot want a 204 with X-Terraform-Get.
std::string_view LocationVariant(const http::Request& request);

// The document in that form. `topic`: a change of it makes the document stale.
Rendering LocationRendering(std::string_view variant, std::string location, std::string topic);

}  // namespace koya::api
