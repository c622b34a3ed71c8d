// Policy files: a refused one says why and where, an accepted one judges.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "policy/policy_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto policy = koya::policy::ParsePolicy(text);
  if (!policy) {
    if (policy.error().empty()) std::abort();
    for (const koya::policy::Problem& problem : policy.error()) {
      if (problem.text.empty()) std::abort();
    }
    return 0;
  }
  const koya::policy::Facts facts{.version = *koya::Version::Parse("1.0.0"), .seen = 1'000'000};
  for (const char* key : {"registry.opentofu.org/hashicorp/aws", "a.example/acme/vpc/aws"}) {
    const koya::policy::AddressPolicy address = policy->ForAddress(key);
    const koya::policy::Judgement judgement = address.Judge(facts, 1'000'001);
    // What is denied as a whole admits no version.
    if (address.FindDenial(1'000'001) != nullptr && judgement.Admits()) std::abort();
  }
  return 0;
}
