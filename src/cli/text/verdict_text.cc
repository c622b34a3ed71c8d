#include "cli/text/verdict_text.h"

#include <fmt/format.h>

#include <string>

#include "base/text.h"

namespace koya::cli {
namespace {

std::string StateOf(const wire::PolicyVerdict& verdict) {
  if (verdict.verdict == "allow") return "ALLOWED";
  if (verdict.verdict == "note") return "ALLOWED, with a note";
  std::string state = verdict.verdict == "hold" ? "HELD" : "REFUSED";
  if (!verdict.until.empty()) state += " until " + Printable(verdict.until);
  return state;
}

// The revision, the known times, and the version that clients see.
std::string FactsOf(const wire::PolicyVerdict& verdict) {
  std::string text = "no policy was ever set";
  if (verdict.revision > 0) {
    text = fmt::format("revision {} by {}", verdict.revision, Printable(verdict.by));
  }
  text += verdict.seen.empty() ? "; never seen here" : "; seen here " + Printable(verdict.seen);
  if (!verdict.pinned.empty()) text += ", pinned " + Printable(verdict.pinned);
  return text + (verdict.instead.empty() ? "; clients see no version"
                                         : "; clients see " + Printable(verdict.instead));
}

}  // namespace

void PrintVerdict(const wire::PolicyVerdict& verdict, Output& output) {
  std::string name = verdict.address;
  if (!verdict.version.empty()) name += " " + verdict.version;
  output.Print(output.Bold(fmt::format("{}: {}", Printable(name), StateOf(verdict))));
  output.Print("  " + FactsOf(verdict));
  for (const wire::PolicyReason& each : verdict.reasons) {
    output.Print(fmt::format("  {}  {}: {}", each.rule.empty() ? "-" : Printable(each.rule),
                             Printable(each.verdict), Printable(each.text, 2000)));
  }
}

}  // namespace koya::cli
