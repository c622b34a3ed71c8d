// koya inspect PATH

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "archive/module_files.h"
#include "cli/commands.h"
#include "cli/package.h"
#include "cli/text/module_report.h"
#include "inspect/contents_answer.h"
#include "inspect/reader.h"

namespace koya::cli {
namespace {

constexpr std::string_view kInspectFooter =
    R"(Shows what is inside a module: inputs, outputs, resources, what it needs, and what could not be read. Nothing is
run, and no server is asked.

Examples:
  koya inspect ./vpc
  koya inspect vpc-1.2.0.tar.gz --json)";

struct InspectArguments {
  std::string path;
  std::string host = "registry.opentofu.org";
  std::string version;
};

Result<int> InspectPath(const InspectArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(HostName host, HostName::Parse(arguments.host));
  ASSIGN_OR_RETURN(Package package,
                   OpenPackage(arguments.path, TemporaryFolder(output.shell().variables)));
  ArchiveLimits limits;
  ASSIGN_OR_RETURN(ModuleInspection inspection,
                   InspectForeignModule(package.file.get(), package.size, limits));
  inspect::FileCollector files;
  ModuleFileVisitor visitor{
      .wanted = [&](std::string_view path) { return files.Wanted(path); },
      .take = [&](std::string path, std::uint64_t size,
                  std::string bytes) { files.Add(std::move(path), size, std::move(bytes)); }};
  RETURN_IF_ERROR(ReadModuleFiles(package.file.get(), package.size, inspection, limits, visitor));
  inspect::ReadOptions options{.default_host = std::move(host), .version = arguments.version};
  inspect::ModuleContents contents = inspect::ReadModule(files.Take(), options);
  PrintContents(contents, output);
  output.PrintDocument(inspect::AnswerContents(contents));
  return 0;
}

}  // namespace

void AddInspectCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* inspect =
      program.add_subcommand("inspect", "Show what is inside a module on this machine");
  auto arguments = std::make_shared<InspectArguments>();
  inspect->add_option("PATH", arguments->path, "The module's folder, or an archive of it")
      ->required()
      ->type_name("");
  inspect
      ->add_option("--module-version", arguments->version,
                   "The version that it will have, for the changelog's section")
      ->type_name("VERSION");
  inspect
      ->add_option("--default-host", arguments->host,
                   "The registry of addresses without a host (registry.opentofu.org unless given)")
      ->type_name("HOST");
  AddJsonFlag(*inspect, invocation);
  inspect->footer(std::string(kInspectFooter));
  inspect->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return InspectPath(*arguments, output); };
  });
}

}  // namespace koya::cli
