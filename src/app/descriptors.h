// How many files and connections this process may have open, and who gets how many.
//
// A connection, an upload under way and a stored archive that is kept open each take a descriptor.
// Whoever needs one and gets none fails (503), so what can be had without goes without first.
#pragma once

#include <cstddef>

namespace koya {

// Raises the soft limit to the hard one: the soft one is what programs with select() bear.
void RaiseDescriptorLimit();

std::size_t DescriptorLimit();

struct DescriptorBudget {
  static DescriptorBudget Of(std::size_t limit);

  std::size_t files;        // archives that are kept open: an eighth, and never thousands
  std::size_t connections;  // a half
  // A quarter goes to documents that are kept as files of memory (http/memory_file.h), and what is
  // left to uploads, databases, other registries, git.
};

}  // namespace koya
