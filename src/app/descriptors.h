// Budget of this process's descriptors: how many files and connections may be open, by purpose.
//
// Each connection, running upload and cached open archive takes a descriptor. Work that gets none
// fails (503), so optional descriptors are given up first.
#pragma once

#include <cstddef>

namespace koya {

// Raises the soft limit to the hard limit: the soft limit exists for programs that use select().
void RaiseDescriptorLimit();

std::size_t DescriptorLimit();

struct DescriptorBudget {
  static DescriptorBudget Of(std::size_t limit);

  std::size_t files;        // archives that stay open: an eighth, and never thousands
  std::size_t connections;  // half
  // A quarter is for documents that are kept as memory files (http/server/memory_file.h); the
  // remainder is for uploads, databases, other registries and git.
};

}  // namespace koya
