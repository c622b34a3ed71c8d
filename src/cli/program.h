// Runs the program without its process: parses a command line and executes its command.
//
// Declares all commands of the program. Each Add… function declares one command with its flags. The
// command that the command line names stores its action in the Invocation, to run after the parse.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/text/output.h"
#include "cli/text/shell.h"

namespace koya::cli {

enum ExitStatus { kDone = 0, kFailed = 1, kUsage = 2 };

// `arguments` excludes the program's name. Returns the exit status. Errors say what failed, where,
// and what to do; for an unknown word they suggest the nearest known one.
int RunProgram(const Shell& shell, const std::vector<std::string>& arguments);

// Builds the tree of commands: the whole tree for help, completion and the generated pages. Where
// `only` is the name of a command, that one alone: declaring all of them takes 40 ms. `invocation`
// must outlive the tree.
std::unique_ptr<CLI::App> BuildCommands(Invocation& invocation, std::string_view only = {});

void AddServeCommand(CLI::App& program, Invocation& invocation);
void AddPublishCommand(CLI::App& program, Invocation& invocation);
// Below "publish".
void AddPublishModulesCommand(CLI::App& publish, Invocation& invocation);
void AddPublishProviderCommand(CLI::App& publish, Invocation& invocation);
// "koya import": cli/import/.
void AddImportCommand(CLI::App& program, Invocation& invocation);
void AddListCommand(CLI::App& program, Invocation& invocation);
void AddSearchCommand(CLI::App& program, Invocation& invocation);
void AddShowCommand(CLI::App& program, Invocation& invocation);
void AddDiffCommand(CLI::App& program, Invocation& invocation);
void AddInspectCommand(CLI::App& program, Invocation& invocation);
void AddDeprecateCommand(CLI::App& program, Invocation& invocation);
void AddWithdrawCommand(CLI::App& program, Invocation& invocation);
void AddRestoreCommand(CLI::App& program, Invocation& invocation);
void AddUsageCommand(CLI::App& program, Invocation& invocation);
void AddKeyCommand(CLI::App& program, Invocation& invocation);
void AddSetupCommand(CLI::App& program, Invocation& invocation);
void AddLoginCommand(CLI::App& program, Invocation& invocation);
void AddLogoutCommand(CLI::App& program, Invocation& invocation);
void AddWhoAmICommand(CLI::App& program, Invocation& invocation);
void AddWatchCommand(CLI::App& program, Invocation& invocation);
void AddOpenCommand(CLI::App& program, Invocation& invocation);
void AddSessionCommand(CLI::App& program, Invocation& invocation);
void AddTokenCommand(CLI::App& program, Invocation& invocation);
void AddUserCommand(CLI::App& program, Invocation& invocation);
void AddServiceCommand(CLI::App& program, Invocation& invocation);
void AddGroupCommand(CLI::App& program, Invocation& invocation);
void AddNamespaceCommand(CLI::App& program, Invocation& invocation);
void AddGrantCommand(CLI::App& program, Invocation& invocation);
void AddAuditCommand(CLI::App& program, Invocation& invocation);
void AddIdpCommand(CLI::App& program, Invocation& invocation);
void AddTrustCommand(CLI::App& program, Invocation& invocation);
void AddPolicyCommand(CLI::App& program, Invocation& invocation);
void AddReindexCommand(CLI::App& program, Invocation& invocation);
void AddAdminCommand(CLI::App& program, Invocation& invocation);
// Below "koya admin".
void AddBackupCommands(CLI::App& admin, Invocation& invocation);
void AddStatusCommand(CLI::App& program, Invocation& invocation);
void AddDoctorCommand(CLI::App& program, Invocation& invocation);
void AddConfigCommand(CLI::App& program, Invocation& invocation);
void AddClientConfigCommand(CLI::App& program, Invocation& invocation);
void AddCompletionCommand(CLI::App& program, Invocation& invocation);
// Hidden: completion scripts call it.
void AddCompleteWordsCommand(CLI::App& program, Invocation& invocation);
void AddDocsCommand(CLI::App& program, Invocation& invocation);
void AddVersionCommand(CLI::App& program, Invocation& invocation);

}  // namespace koya::cli
