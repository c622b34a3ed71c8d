// Every command of the program. Each Add… declares one command with its flags, and stores in the
// invocation what is to be done once the whole command line has been read.
#pragma once

#include <functional>

#include "base/result.h"
#include "cli/output.h"
#include "cli/surroundings.h"

namespace CLI {
class App;
}

namespace koya::cli {

// Returns the exit status: 0, or 1 when the command did its work and found something wrong.
// An Error is printed and ends in status 1.
using Action = std::function<Result<int>(Output&)>;

// One run of the program: filled in while the command line is read.
struct Invocation {
  const Surroundings& surroundings;
  Action action;
  bool json = false;  // --json was given
};

// Declares --json on `command`.
void AddJsonFlag(CLI::App& command, Invocation& invocation);

void AddServeCommand(CLI::App& program, Invocation& invocation);
void AddPublishCommand(CLI::App& program, Invocation& invocation);
// Below "publish".
void AddPublishProviderCommand(CLI::App& publish, Invocation& invocation);
void AddListCommand(CLI::App& program, Invocation& invocation);
void AddSearchCommand(CLI::App& program, Invocation& invocation);
void AddShowCommand(CLI::App& program, Invocation& invocation);
void AddDeprecateCommand(CLI::App& program, Invocation& invocation);
void AddWithdrawCommand(CLI::App& program, Invocation& invocation);
void AddKeyCommand(CLI::App& program, Invocation& invocation);
void AddTokenCommand(CLI::App& program, Invocation& invocation);
void AddVerifyCommand(CLI::App& program, Invocation& invocation);
void AddMirrorCommand(CLI::App& program, Invocation& invocation);
// Below "mirror".
void AddMirrorFetchCommand(CLI::App& mirror, Invocation& invocation);
void AddDoctorCommand(CLI::App& program, Invocation& invocation);
void AddConfigCommand(CLI::App& program, Invocation& invocation);
void AddClientConfigCommand(CLI::App& program, Invocation& invocation);
void AddCompletionCommand(CLI::App& program, Invocation& invocation);
void AddDocsCommand(CLI::App& program, Invocation& invocation);
void AddVersionCommand(CLI::App& program, Invocation& invocation);

}  // namespace koya::cli
