// RAII handles for values of C libraries, freed by their own functions.
#pragma once

#include <memory>

namespace koya::signing {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* value) const {
    (void)Free(value);
  }
};

template <class T, auto Free>
using Handle = std::unique_ptr<T, Freed<Free>>;

}  // namespace koya::signing
