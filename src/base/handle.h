// RAII handles for values of C libraries, freed by their own functions.
#pragma once

#include <memory>

namespace koya {

template <auto kFree>
struct Freed {
  template <class T>
  void operator()(T* value) const {
    (void)kFree(value);
  }
};

template <class T, auto kFree>
using Handle = std::unique_ptr<T, Freed<kFree>>;

}  // namespace koya
