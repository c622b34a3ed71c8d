#include "cli/text/module_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/text/output.h"
#include "hcl/type.h"

namespace koya::cli {
namespace {

using inspect::ModuleContents;
using inspect::ModulePart;

constexpr std::size_t kReportWidth = 80;
// Of what a summary lists, and of the lines of a changelog.
constexpr std::size_t kMostSummed = 20;
constexpr std::size_t kMostChangelogLines = 12;

// In one line, on a terminal cut to `width` characters.
std::string OneLine(std::string_view text, std::size_t width, const Output& output) {
  std::string line;
  for (char c : text) {
    bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  constexpr std::size_t kMost = 16'384;  // of a text that comes with the module
  if (!output.cuts()) return Printable(line, kMost);
  std::size_t shown = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    bool begins = (static_cast<unsigned char>(line[i]) & 0xC0) != 0x80;
    if (begins && ++shown == width && i + 1 < line.size())
      return Printable(line.substr(0, i), 1000) + "…";
  }
  return Printable(line, 1000);
}

// "1 input", "2 inputs"
std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string WithConstraint(const std::string& what, const std::string& constraint) {
  return constraint.empty() ? what : what + " " + constraint;
}

// As people write it, in one line.
std::string TypeText(const std::string& written) {
  auto type = hcl::ParseType(written);
  return type ? hcl::ToString(*type) : written;
}

std::string NeedText(const inspect::Requirement& need) {
  return WithConstraint(need.address.empty() ? need.name : need.address, need.constraint);
}

std::string CallText(const inspect::ModuleCall& call) {
  return WithConstraint(call.source, call.constraint);
}

std::string PathText(const ModulePart& part) { return part.path; }

std::string LicenceText(const inspect::Licence& licence) {
  if (licence.file.empty()) return "none";
  return licence.spdx.empty() ? licence.file + ": unknown" : licence.file + ": " + licence.spdx;
}

std::string Pad(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, CountCharacters(text)), ' ');
}

class Report {
 public:
  explicit Report(Output& output) : output_(output) {}

  void Print(const ModuleContents& contents) {
    PrintPart(contents.root, "Module");
    for (const ModulePart& each : contents.submodules) PrintPart(each, "Submodule");
    PrintList("Examples", contents.examples, [](const ModulePart& each) { return each.path; });
    PrintList("Tests", contents.tests, [](const inspect::TestFile& each) {
      return fmt::format("{} ({} {})", each.path, each.runs.size(),
                         each.runs.size() == 1 ? "run" : "runs");
    });
    PrintDocuments(contents);
    PrintWarnings(contents);
  }

  void PrintSummary(const ModuleContents& contents) {
    const ModulePart& root = contents.root;
    Line("licence", LicenceText(contents.licence));
    Line("client", root.required_version);
    Line("OpenTofu", root.required_opentofu);
    Lines("provider", root.requirements, NeedText);
    Lines("calls", root.calls, CallText);
    Line("inside", CountsOf(root));
    Lines("submodule", contents.submodules, PathText);
    Lines("example", contents.examples, PathText);
    Line("README", root.readme.file);
    Line("size", fmt::format("{}, {}", Counted(contents.file_count, "file"),
                             Counted(contents.bytes, "byte")));
    PrintChangelog(contents.changelog);
    SumWarnings(contents);
  }

  void PrintResources(const ModulePart& part) {
    PrintList("Resources", part.resources, [](const inspect::Resource& each) {
      std::string kind = each.repetition.Kind();
      return each.Address() + (kind.empty() ? "" : " (" + kind + ")");
    });
  }

  void PrintInputs(const ModulePart& part) {
    if (part.inputs.empty()) return;
    output_.Print(fmt::format("  {}", output_.Bold(fmt::format("Inputs {}", part.inputs.size()))));
    std::size_t width = NameWidth(part.inputs);
    for (const inspect::Input& each : part.inputs) {
      std::vector<std::string> marks;
      if (each.required) marks.emplace_back("required");
      if (each.sensitive) marks.emplace_back("sensitive");
      if (each.ephemeral) marks.emplace_back("ephemeral");
      if (!each.deprecated.empty()) marks.emplace_back("deprecated");
      std::string type = TypeText(each.type.empty() ? "any" : each.type);
      if (!each.required) type += " = " + each.default_text;
      PrintThing(each.name, width, type, marks, each.description);
    }
  }

  void PrintOutputs(const ModulePart& part) {
    if (part.outputs.empty()) return;
    output_.Print(
        fmt::format("  {}", output_.Bold(fmt::format("Outputs {}", part.outputs.size()))));
    std::size_t width = NameWidth(part.outputs);
    for (const inspect::Output& each : part.outputs) {
      std::vector<std::string> marks;
      if (!each.type.empty()) marks.push_back(TypeText(each.type));
      if (each.sensitive) marks.emplace_back("sensitive");
      if (each.ephemeral) marks.emplace_back("ephemeral");
      if (!each.deprecated.empty()) marks.emplace_back("deprecated");
      PrintThing(each.name, width, each.description.empty() ? each.value : each.description, marks,
                 "");
    }
  }

 private:
  void Line(std::string_view name, std::string_view text) {
    if (text.empty()) return;
    output_.Print(fmt::format("  {:<13}{}", name, OneLine(text, kReportWidth - 15, output_)));
  }

  // A line each, the first ones.
  template <class T>
  void Lines(std::string_view name, const std::vector<T>& things, std::string (*text)(const T&)) {
    for (std::size_t i = 0; i < std::min(things.size(), kMostSummed); ++i) {
      Line(name, text(things[i]));
    }
    if (things.size() > kMostSummed) {
      Line(name, fmt::format("and {} more", things.size() - kMostSummed));
    }
  }

  static std::string CountsOf(const ModulePart& part) {
    const auto required =
        static_cast<std::size_t>(std::ranges::count_if(part.inputs, &inspect::Input::required));
    return fmt::format("{}{}, {}, {}", Counted(part.inputs.size(), "input"),
                       required == 0 ? "" : fmt::format(" ({} required)", required),
                       Counted(part.outputs.size(), "output"),
                       Counted(part.resources.size(), "resource"));
  }

  void PrintChangelog(const inspect::Changelog& changelog) {
    std::size_t shown = 0;
    std::string_view rest = changelog.section;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string line = OneLine(rest.substr(0, end), kReportWidth - 4, output_);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (line.empty()) continue;
      if (shown == 0) output_.Print("  changelog");
      if (shown == kMostChangelogLines) return output_.Print("    …");
      output_.Print("    " + line);
      ++shown;
    }
  }

  void SumWarnings(const ModuleContents& contents) {
    std::size_t shown = 0;
    for (const inspect::Warning& each : contents.warnings) {
      if (shown == kMostSummed) break;
      std::string_view name = "warning";
      for (const std::string& line : WrapText(Printable(each.ToString(), 600), kReportWidth - 15)) {
        output_.Print(fmt::format("  {:<13}{}", name, output_.Yellow(line)));
        name = {};
      }
      ++shown;
    }
    const std::size_t all = contents.warnings.size() + contents.warnings_left_out;
    if (all > shown) Line("warning", fmt::format("and {} more", all - shown));
  }

  void PrintPart(const ModulePart& part, std::string_view kind) {
    output_.Print(output_.Bold(
        part.path.empty() ? std::string(kind) : fmt::format("{} {}", kind, Printable(part.path))));
    Line("about", part.header.substr(0, part.header.find("\n\n")));
    Line("client", part.required_version);
    Line("OpenTofu", part.required_opentofu);
    Line("language", part.language);
    Line("experiments", fmt::format("{}", fmt::join(part.experiments, ", ")));
    Line("backend", part.backend);
    Line("functions", fmt::format("{}", fmt::join(part.provider_functions, ", ")));
    PrintNeeds(part);
    PrintInputs(part);
    PrintOutputs(part);
    PrintResources(part);
    PrintList("Modules called", part.calls, [](const inspect::ModuleCall& each) {
      return fmt::format("{}: {} {}", each.name, each.source, each.constraint);
    });
    PrintList("Checks", part.checks, [](const inspect::Check& each) { return each.name; });
    PrintList("Moved, removed and imported", part.refactorings,
              [](const inspect::Refactoring& each) {
                return fmt::format("{} {}{}{}", each.kind, each.from,
                                   each.from.empty() || each.to.empty() ? "" : " → ", each.to);
              });
    output_.Print("");
  }

  template <class T, class Show>
  void PrintList(std::string_view title, const std::vector<T>& things, Show show) {
    if (things.empty()) return;
    output_.Print(fmt::format("  {}", output_.Bold(fmt::format("{} {}", title, things.size()))));
    for (const T& each : things) {
      output_.Print("    " + OneLine(show(each), kReportWidth - 4, output_));
    }
  }

  void PrintNeeds(const ModulePart& part) {
    PrintList("Providers", part.requirements, [](const inspect::Requirement& each) {
      std::string aliases = each.aliases.empty()
                                ? std::string()
                                : fmt::format(" with {}", fmt::join(each.aliases, ", "));
      return fmt::format("{} {}{}{}", each.address.empty() ? each.name : each.address,
                         each.constraint, aliases, each.implied ? " (not declared)" : "");
    });
  }

  // Prints two lines: name, type and marks; then the description.
  void PrintThing(const std::string& name, std::size_t width, std::string_view text,
                  const std::vector<std::string>& marks, std::string_view description) {
    std::string shown = Pad(Printable(name, 60), width);
    std::string mark = marks.empty() ? std::string() : fmt::format(" ({})", fmt::join(marks, ", "));
    std::size_t used = 4 + width + 2 + mark.size();
    std::size_t room = used + 12 < kReportWidth ? kReportWidth - used : 12;
    output_.Print(
        fmt::format("    {}  {}{}", shown, OneLine(text, room, output_), output_.Yellow(mark)));
    if (!description.empty())
      output_.Print("      " + OneLine(description, kReportWidth - 6, output_));
  }

  template <class T>
  static std::size_t NameWidth(const std::vector<T>& things) {
    std::size_t width = 0;
    for (const T& each : things) width = std::max(width, each.name.size());
    return std::min<std::size_t>(width, 30);
  }

  void PrintDocuments(const ModuleContents& contents) {
    output_.Print(output_.Bold("Files"));
    Line("README", contents.root.readme.file.empty() ? "none: README.md is shown where there is one"
                                                     : contents.root.readme.file);
    Line("changelog", contents.changelog.file);
    Line("licence", LicenceText(contents.licence));
    Line("size", fmt::format("{} files, {} bytes", contents.file_count, contents.bytes));
  }

  void PrintWarnings(const ModuleContents& contents) {
    if (contents.warnings.empty()) return;
    output_.Print("");
    output_.Print(output_.Bold(
        fmt::format("Warnings {}", contents.warnings.size() + contents.warnings_left_out)));
    for (const inspect::Warning& each : contents.warnings) {
      output_.Print("  " + output_.Yellow(Printable(each.place.ToString(), 200)));
      output_.Print("    " + Printable(each.what, 600));
    }
    if (contents.warnings_left_out > 0) {
      output_.Print(fmt::format("  and {} more", contents.warnings_left_out));
    }
  }

  Output& output_;
};

}  // namespace

void PrintContents(const ModuleContents& contents, Output& output) {
  Report(output).Print(contents);
}

void PrintSummary(const ModuleContents& contents, Output& output) {
  Report(output).PrintSummary(contents);
}

void PrintInputs(const ModulePart& part, Output& output) {
  if (part.inputs.empty()) output.Print("  No inputs");
  Report(output).PrintInputs(part);
}

void PrintOutputs(const ModulePart& part, Output& output) {
  if (part.outputs.empty()) output.Print("  No outputs");
  Report(output).PrintOutputs(part);
}

void PrintResources(const ModulePart& part, Output& output) {
  if (part.resources.empty()) output.Print("  No resources");
  Report(output).PrintResources(part);
}

}  // namespace koya::cli
