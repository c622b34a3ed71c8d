// Where what is inside a published version comes from, for whoever indexes it.
#pragma once

#include "base/task.h"
#include "domain/module_record.h"
#include "service/module_reading.h"

namespace koya::service {

class ContentsSource {
 public:
  virtual ~ContentsSource() = default;
  // Fails: kCorrupt, kRefused: what is kept cannot be read; kUnavailable: not now.
  virtual Task<SharedContents> Read(ModuleVersionRecord record) = 0;
};

}  // namespace koya::service
