#include "wire/readings.h"

#include "wire/document.h"
#include "wire/json_writer.h"
#include "wire/schema.h"

namespace koya::wire {
namespace {

constexpr std::string_view kReadingReport = "the analysis report";

}  // namespace

template <>
constexpr auto kDocument<StepRequest> =
    Document("the request", Optional("after", &StepRequest::after)).OrEmptyBody();

template <>
constexpr auto kDocument<ReadingProblem> = Document(
    kReadingReport, Required("address", &ReadingProblem::address),
    Required("version", &ReadingProblem::version), Required("problem", &ReadingProblem::problem));

template <>
constexpr auto kDocument<ReadingReport> = Document(
    kReadingReport, OrNull("next", &ReadingReport::next), Optional("read", &ReadingReport::read),
    Optional("left", &ReadingReport::left), Optional("problems", &ReadingReport::problems));

KOYA_DOCUMENT(StepRequest);
KOYA_DOCUMENT(ReadingReport);

void AddReadingSchemas(SchemaList& list) {
  AddSchema<ReadingReport>(list);
  AddShape(list, "StepRequest", "{after?: text}");
}

}  // namespace koya::wire
