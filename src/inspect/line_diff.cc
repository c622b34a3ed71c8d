#include "inspect/line_diff.h"

#include <algorithm>
#include <unordered_map>

namespace koya::inspect {
namespace {

constexpr std::size_t kContext = 3;             // lines
constexpr std::ptrdiff_t kMostLines = 200'000;  // of a text

// With its "\n", so that a last line without one is another line.
std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// The lines of a text as numbers, equal for equal lines, and which of them the other text lacks.
struct Side {
  std::vector<std::string_view> lines;
  std::vector<std::size_t> numbers;
  std::vector<bool> changed;
};

// The places of lines that may be in both texts.
std::vector<std::size_t> CommonLines(Side& side, const std::vector<std::size_t>& others,
                                     std::size_t begin, std::size_t end) {
  std::vector<std::size_t> places;
  for (std::size_t i = begin; i < end; ++i) {
    side.changed[i] = others[side.numbers[i]] == 0;
    if (!side.changed[i]) places.push_back(i);
  }
  return places;
}

// Finds the longest common subsequence of two lists of lines: the path through their grid with the
// fewest steps aside, which are the lines that only one of them has.
class Path {
 public:
  Path(Side& from, std::vector<std::size_t> a, Side& to, std::vector<std::size_t> b)
      : from_(from), to_(to), a_(std::move(a)), b_(std::move(b)) {}

  // Marks the changed lines. False: `steps` are too few.
  bool Mark(std::uint64_t& steps) {
    const auto most = static_cast<std::int64_t>(a_.size() + b_.size());
    furthest_.assign(static_cast<std::size_t>(2 * most + 3), 0);
    zero_ = most + 1;
    for (std::int64_t depth = 0; depth <= most; ++depth) {
      const bool arrived = Advance(depth, steps);
      if (arrived) {
        Retrace(depth);
        return true;
      }
      if (steps == 0) return false;
    }
    return true;
  }

 private:
  std::int64_t& Furthest(std::int64_t diagonal) {
    return furthest_[static_cast<std::size_t>(zero_ + diagonal)];
  }
  bool Equal(std::int64_t x, std::int64_t y) const {
    return from_.numbers[a_[static_cast<std::size_t>(x)]] ==
           to_.numbers[b_[static_cast<std::size_t>(y)]];
  }
  // True if the furthest path to this diagonal comes from the one above: by a line of `to`.
  template <class Row>
  static bool ComesFromAbove(std::int64_t diagonal, std::int64_t depth, Row row) {
    return diagonal == -depth || (diagonal != depth && row(diagonal - 1) < row(diagonal + 1));
  }

  // Extends the paths with `depth` steps aside. True: one of them has arrived.
  bool Advance(std::int64_t depth, std::uint64_t& steps) {
    const auto end_x = static_cast<std::int64_t>(a_.size());
    const auto end_y = static_cast<std::int64_t>(b_.size());
    std::vector<std::uint32_t>& row = rows_.emplace_back();
    row.reserve(static_cast<std::size_t>(depth + 1));
    for (std::int64_t diagonal = -depth; diagonal <= depth; diagonal += 2) {
      const bool above = ComesFromAbove(diagonal, depth, [&](auto at) { return Furthest(at); });
      std::int64_t x = above ? Furthest(diagonal + 1) : Furthest(diagonal - 1) + 1;
      const std::int64_t begin = x;
      while (x < end_x && x - diagonal < end_y && Equal(x, x - diagonal)) ++x;
      Furthest(diagonal) = x;
      row.push_back(static_cast<std::uint32_t>(x));
      steps -= std::min(steps, static_cast<std::uint64_t>(x - begin + 1));
      if (x >= end_x && x - diagonal >= end_y) return true;
      if (steps == 0) return false;
    }
    return false;
  }

  // Walks back along the path.
  void Retrace(std::int64_t depth) {
    auto x = static_cast<std::int64_t>(a_.size());
    auto y = static_cast<std::int64_t>(b_.size());
    for (; depth > 0; --depth) {
      const std::vector<std::uint32_t>& row = rows_[static_cast<std::size_t>(depth - 1)];
      const auto at = [&](std::int64_t diagonal) {
        return static_cast<std::int64_t>(row[static_cast<std::size_t>((diagonal + depth - 1) / 2)]);
      };
      const std::int64_t diagonal = x - y;
      const bool above = ComesFromAbove(diagonal, depth, at);
      x = above ? at(diagonal + 1) : at(diagonal - 1);
      y = x - (above ? diagonal + 1 : diagonal - 1);
      if (above) {
        to_.changed[b_[static_cast<std::size_t>(y)]] = true;
      } else {
        from_.changed[a_[static_cast<std::size_t>(x)]] = true;
      }
    }
  }

  Side& from_;
  Side& to_;
  const std::vector<std::size_t> a_;
  const std::vector<std::size_t> b_;
  std::vector<std::int64_t> furthest_;  // by diagonal: the furthest line of `from`
  std::int64_t zero_ = 0;
  std::vector<std::vector<std::uint32_t>> rows_;  // by depth: furthest_ of its diagonals
};

// Numbers the lines of both sides, and counts each line by its number.
void NumberLines(Side& side, std::unordered_map<std::string_view, std::size_t>& known,
                 std::vector<std::size_t>& counts, std::vector<std::size_t>& others) {
  side.changed.assign(side.lines.size(), false);
  for (std::string_view line : side.lines) {
    const auto [entry, first] = known.try_emplace(line, known.size());
    if (first) {
      counts.push_back(0);
      others.push_back(0);
    }
    ++counts[entry->second];
    side.numbers.push_back(entry->second);
  }
}

bool MarkChanges(Side& from, Side& to, std::uint64_t& steps) {
  std::unordered_map<std::string_view, std::size_t> known;
  std::vector<std::size_t> in_from;
  std::vector<std::size_t> in_to;
  NumberLines(from, known, in_from, in_to);
  NumberLines(to, known, in_to, in_from);
  std::size_t begin = 0;
  std::size_t from_end = from.numbers.size();
  std::size_t to_end = to.numbers.size();
  while (begin < from_end && begin < to_end && from.numbers[begin] == to.numbers[begin]) ++begin;
  while (begin < from_end && begin < to_end &&
         from.numbers[from_end - 1] == to.numbers[to_end - 1]) {
    --from_end;
    --to_end;
  }
  return Path(from, CommonLines(from, in_to, begin, from_end), to,
              CommonLines(to, in_from, begin, to_end))
      .Mark(steps);
}

// Collects hunks from lines in order.
class Hunks {
 public:
  Hunks(const Side& from, const Side& to) : from_(from), to_(to) {}

  LineDiff Collect() {
    while (x_ < from_.lines.size() || y_ < to_.lines.size()) {
      if (x_ < from_.lines.size() && from_.changed[x_]) {
        Change(LineSign::kRemoved, from_.lines[x_]);
        ++diff_.removed;
        ++x_;
      } else if (y_ < to_.lines.size() && to_.changed[y_]) {
        Change(LineSign::kAdded, to_.lines[y_]);
        ++diff_.added;
        ++y_;
      } else {
        Keep();
      }
    }
    return std::move(diff_);
  }

 private:
  void Append(LineSign sign, std::string_view line) {
    const bool ends = line.ends_with('\n');
    diff_.hunks.back().lines.push_back({sign, line.substr(0, line.size() - (ends ? 1 : 0)), !ends});
  }
  void Change(LineSign sign, std::string_view line) {
    // The lines since the last hunk that it does not have.
    std::size_t before = diff_.hunks.empty() ? x_ : same_ - std::min(same_, kContext);
    if (diff_.hunks.empty() || before > kContext) {
      before = std::min(before, kContext);
      diff_.hunks.push_back({x_ - before + 1, y_ - before + 1, {}});
    }
    for (std::size_t i = x_ - before; i < x_; ++i) Append(LineSign::kSame, from_.lines[i]);
    Append(sign, line);
    same_ = 0;
  }
  void Keep() {
    ++same_;
    if (!diff_.hunks.empty() && same_ <= kContext) Append(LineSign::kSame, from_.lines[x_]);
    ++x_;
    ++y_;
  }

  const Side& from_;
  const Side& to_;
  std::size_t x_ = 0;
  std::size_t y_ = 0;
  std::size_t same_ = 0;  // lines since the last change
  LineDiff diff_;
};

}  // namespace

std::optional<LineDiff> DiffLines(std::string_view from, std::string_view to,
                                  std::uint64_t& steps) {
  for (std::string_view text : {from, to}) {
    if (std::ranges::count(text, '\n') > kMostLines) return std::nullopt;
  }
  Side before{.lines = LinesOf(from), .numbers = {}, .changed = {}};
  Side after{.lines = LinesOf(to), .numbers = {}, .changed = {}};
  if (!MarkChanges(before, after, steps)) return std::nullopt;
  return Hunks(before, after).Collect();
}

}  // namespace koya::inspect
