#include "wire/admin.h"

#include "wire/document.h"

namespace koya::wire {

template <>
constexpr auto kDocument<ResealReport> =
    Document("the report", Required("renewed", &ResealReport::renewed),
             Required("current", &ResealReport::current), Required("lost", &ResealReport::lost));

std::string EncodeResealReport(const ResealReport& report) { return Encode(report); }
Result<ResealReport> DecodeResealReport(std::string_view body) {
  return Decode<ResealReport>(body);
}

}  // namespace koya::wire
