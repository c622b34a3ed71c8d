// What is inside a module's version, as it is kept; else read out of its archive, and kept.
#pragma once

#include "service/contents_source.h"
#include "service/module_insides.h"

namespace koya::service {

class KeptContents final : public ContentsSource {
 public:
  explicit KeptContents(ModuleInsides& insides) : insides_(insides) {}

  // As today's reader finds it.
  Task<SharedContents> Read(ModuleVersionRecord record) override;

 private:
  ModuleInsides& insides_;
};

}  // namespace koya::service
