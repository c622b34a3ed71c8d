// koya inspect
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "base/temp_folder_fake.h"
#include "cli/run_program_fake.h"

namespace koya::cli {
namespace {

void WriteText(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

void WriteModule(const std::filesystem::path& folder) {
  WriteText(folder / "main.tf", R"(/* A network. */

terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}
variable "cidr" {
  description = "The range of addresses, which is described here at such length that it cannot stand in one line."
  type        = string
}
variable "zones" {
  type      = list(object({ name = string, public = optional(bool, false) }))
  default   = []
  sensitive = true
}
resource "aws_vpc" "main" {
  count = 1
}
output "id" {
  value = aws_vpc.main[0].id
}
output "broken" {
  value =
}
)");
  WriteText(folder / "modules/sub/main.tf", "variable \"x\" {}\n");
  WriteText(folder / "LICENSE", "SPDX-License-Identifier: MPL-2.0\n");
}

TEST(InspectCommandTest, ShowsWhatAFolderHolds) {
  TempFolder folder;
  WriteModule(folder.path() / "m");
  ProgramRun run = RunKoya({"inspect", (folder.path() / "m").string()});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "Module\n"
            "  about        A network.\n"
            "  client       >= 1.5\n"
            "  Providers 1\n"
            "    registry.opentofu.org/hashicorp/aws ~> 5.0\n"
            "  Inputs 2\n"
            "    cidr   string (required)\n"
            "      The range of addresses, which is described here at such length that it cannot "
            "stand in one line.\n"
            "    zones  list(object({ name = string, public = optional(bool, false) })) = [] "
            "(sensitive)\n"
            "  Outputs 1\n"
            "    id  aws_vpc.main[0].id\n"
            "  Resources 1\n"
            "    aws_vpc.main (count)\n"
            "\n"
            "Submodule modules/sub\n"
            "  Inputs 1\n"
            "    x  any (required)\n"
            "\n"
            "Files\n"
            "  README       none: README.md is shown where there is one\n"
            "  licence      LICENSE: MPL-2.0\n"
            "  size         3 files, 623 bytes\n"
            "\n"
            "Warnings 1\n"
            "  main.tf:28\n"
            "    column 10: the end of the line stands where a value should\n");
}

TEST(InspectCommandTest, OnATerminalLinesAreAsWideAsOne) {
  TempFolder folder;
  WriteModule(folder.path() / "m");
  std::ostringstream out;
  std::ostringstream err;
  const Shell shell{
      .variables = {{"NO_COLOR", "1"}}, .out = out, .err = err, .out_is_terminal = true};
  ASSERT_EQ(RunProgram(shell, {"inspect", (folder.path() / "m").string()}), 0) << err.str();
  for (const char* line :
       {"      The range of addresses, which is described here at such length that it ca…\n",
        "    zones  list(object({ name = string, public = optional(bool, fal… (sensitive)\n"}) {
    EXPECT_TRUE(out.str().contains(line)) << out.str();
  }
}

TEST(InspectCommandTest, GivesADocument) {
  TempFolder folder;
  WriteModule(folder.path() / "m");
  ProgramRun run = RunKoya({"inspect", (folder.path() / "m").string(), "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  auto has = [&run](std::string_view text) { return run.out.find(text) != std::string::npos; };
  EXPECT_TRUE(run.out.starts_with("{\"reader\":")) << run.out;
  EXPECT_TRUE(has(R"("spdx":"MPL-2.0")"));
  EXPECT_TRUE(has(R"("type_tree":)"));
  EXPECT_TRUE(has(R"("warnings":[{"file":"main.tf","line":28,)"));
}

TEST(InspectCommandTest, RefusesWhatIsNoModule) {
  TempFolder folder;
  WriteText(folder.path() / "empty/notes.txt", "x");
  WriteText(folder.path() / "x.zip", "no zip");
  for (const std::string name : {"empty", "none", "x.zip"}) {
    ProgramRun run = RunKoya({"inspect", (folder.path() / name).string()});
    EXPECT_EQ(run.status, 1) << name;
    EXPECT_NE(run.err.find("koya: "), std::string::npos) << name;
  }
  EXPECT_EQ(RunKoya({"inspect"}).status, 2);
}

}  // namespace
}  // namespace koya::cli
