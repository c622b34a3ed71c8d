#include "cli/mirror/verify_record.h"

#include <fmt/format.h>

#include <utility>

namespace koya::cli {
namespace {

constexpr std::chrono::minutes kReportEvery(1);

}  // namespace

VerifyRecord::VerifyRecord(const RegistryClientOptions& connection, wire::VerifyProgress asked,
                           Output& output)
    : client_(connection), progress_(std::move(asked)), output_(output) {}

void VerifyRecord::Begin() {
  next_ = std::chrono::steady_clock::now() + kReportEvery;
  Result<std::string> id = client_.BeginRun(progress_);
  if (id) {
    id_ = *std::move(id);
    return;
  }
  // A registry of before knows no runs.
  if (id.error().kind == ErrorKind::kNotFound) return;
  output_.Note(fmt::format("koya: the registry does not record this run: {}", id.error().message));
}

void VerifyRecord::Update(const wire::VerifyReport& report) {
  const auto now = std::chrono::steady_clock::now();
  if (!id_ || now < next_) return;
  next_ = now + kReportEvery;
  wire::TakeFindings(report, progress_);
  SendReport();
}

void VerifyRecord::End(const wire::VerifyReport& report, const Error* broken) {
  if (!id_) return;
  wire::TakeFindings(report, progress_);
  progress_.ended = true;
  if (broken != nullptr) progress_.failure = broken->message;
  SendReport();
  id_.reset();
}

void VerifyRecord::SendReport() {
  Status told = client_.TellRun(*id_, progress_);
  // Of a run that broke off, the same is wrong, most likely, and is said by it.
  if (told || !progress_.failure.empty()) return;
  output_.Note(
      fmt::format("koya: the registry did not record the findings: {}", told.error().message));
  if (told.error().kind == ErrorKind::kNotFound) id_.reset();
}

}  // namespace koya::cli
