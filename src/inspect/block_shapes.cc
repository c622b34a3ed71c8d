#include "inspect/block_shapes.h"

#include <array>

namespace koya::inspect {
namespace {

using hcl::BlockShape;
using hcl::BodyShape;

template <std::size_t N>
constexpr BodyShape Of(const std::array<BlockShape, N>& blocks) {
  return {blocks.data(), N};
}

constexpr std::array<BlockShape, 6> kTerraform{{{"required_providers", 0},
                                                {"compatible_with", 0},
                                                {"backend", 1},
                                                {"cloud", 0},
                                                {"provider_meta", 1},
                                                {"encryption", 0}}};
constexpr std::array<BlockShape, 1> kVariable{{{"validation", 0, {}, true}}};
constexpr std::array<BlockShape, 1> kOutput{{{"precondition", 0, {}, true}}};
constexpr std::array<BlockShape, 3> kLifecycle{
    {{"precondition", 0, {}, true}, {"postcondition", 0, {}, true}, {"action_trigger", 0}}};
constexpr std::array<BlockShape, 3> kResource{
    {{"lifecycle", 0, Of(kLifecycle)}, {"connection", 0, {}, true}, {"provisioner", 1, {}, true}}};
constexpr std::array<BlockShape, 1> kRemoved{{{"lifecycle", 0}}};
constexpr std::array<BlockShape, 2> kCheck{
    {{"data", 2, Of(kResource), true}, {"assert", 0, {}, true}}};
constexpr std::array<BlockShape, 1> kRun0{{{"assert", 0, {}, true}}};
constexpr std::array<BlockShape, 4> kTest{
    {{"run", 1, Of(kRun0)}, {"provider", 1}, {"mock_provider", 1}, {"variables", 0}}};

constexpr std::array<BlockShape, 15> kConfig{{{"terraform", 0, Of(kTerraform)},
                                              {"language", 0, Of(kTerraform)},
                                              {"variable", 1, Of(kVariable)},
                                              {"output", 1, Of(kOutput), true},
                                              {"resource", 2, Of(kResource), true},
                                              {"data", 2, Of(kResource), true},
                                              {"ephemeral", 2, Of(kResource), true},
                                              {"action", 2},
                                              {"module", 1},
                                              {"provider", 1},
                                              {"locals", 0, {}, true},
                                              {"moved", 0},
                                              {"removed", 0, Of(kRemoved)},
                                              {"import", 0},
                                              {"check", 1, Of(kCheck)}}};

}  // namespace

constinit const BodyShape kConfigShape = Of(kConfig);
constinit const BodyShape kTestShape = Of(kTest);

}  // namespace koya::inspect
