#include "record/ordered_operations.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

namespace pgfiredrill {
namespace {

/// What the order is by, and where the operation waits.
struct Place {
  nanoseconds due;
  std::uint32_t path_and_kind;
  std::uint32_t index;

  [[nodiscard]] bool operator<(const Place& other) const {
    return std::tie(due, path_and_kind, index) < std::tie(other.due, other.path_and_kind, other.index);
  }
};

Place place_of(const Operation& operation, std::size_t index) {
  return {operation.due, std::uint32_t{operation.path} << 8 | static_cast<std::uint32_t>(operation.kind),
          static_cast<std::uint32_t>(index)};
}

/// Each stands a few places from where it belongs, as many as operations are under way at a time: moving it
/// there costs less than sorting. Where that is not so, everything is sorted.
void sort_nearly_sorted(std::vector<Place>& places) {
  constexpr std::size_t kMovesEach = 32;
  std::size_t moves = kMovesEach * places.size();
  for (std::size_t i = 1; i < places.size(); ++i) {
    const Place place = places[i];
    std::size_t to = i;
    for (; to > 0 && place < places[to - 1] && moves > 0; --to, --moves) places[to] = places[to - 1];
    places[to] = place;
    if (moves == 0) return std::sort(places.begin(), places.end());
  }
}

}  // namespace

class OrderedOperations::Merge {
 public:
  Merge(std::vector<File>& files, nanoseconds from, nanoseconds to,
        const std::function<void(const Operation&)>& sink)
      : from_{from}, to_{to}, sink_{sink} {
    for (File& file : files) begin(file);
  }

  Result<void> run() {
    while (Cursor* cursor = furthest_behind()) {
      if (auto taken = take_chunk(*cursor); !taken) return taken;
      const Cursor* next = furthest_behind();
      hand_over(next != nullptr ? next->least.back() : nanoseconds::max());
    }
    return {};
  }

 private:
  /// One file, with those of its chunks that are not read yet, the next one last.
  struct Cursor {
    OperationStream* stream;
    std::vector<OperationChunk> chunks;
    /// The earliest due time in a chunk and all that come after it.
    std::vector<nanoseconds> least;
  };

  void begin(File& file) {
    Cursor cursor{.stream = &file.stream, .chunks = {}, .least = {}};
    for (auto chunk = file.chunks.rbegin(); chunk != file.chunks.rend(); ++chunk) {
      if (chunk->latest < from_ || chunk->earliest >= to_) continue;
      cursor.chunks.push_back(*chunk);
      cursor.least.push_back(cursor.least.empty() ? chunk->earliest
                                                  : std::min(cursor.least.back(), chunk->earliest));
    }
    cursors_.push_back(std::move(cursor));
  }

  /// The file in which the earliest operation may still come; null: nothing comes any more.
  Cursor* furthest_behind() {
    Cursor* found = nullptr;
    for (Cursor& cursor : cursors_) {
      if (cursor.chunks.empty()) continue;
      if (found == nullptr || cursor.least.back() < found->least.back()) found = &cursor;
    }
    return found;
  }

  Result<void> take_chunk(Cursor& cursor) {
    const OperationChunk chunk = cursor.chunks.back();
    cursor.chunks.pop_back();
    cursor.least.pop_back();
    return cursor.stream->read_chunk(chunk, [this](const Operation& operation) {
      if (operation.due < from_ || operation.due >= to_) return;
      waiting_.push_back(operation);
      earliest_waiting_ = std::min(earliest_waiting_, operation.due);
    });
  }

  /// What is due before `limit`: nothing that is still to come belongs before it.
  void hand_over(nanoseconds limit) {
    if (earliest_waiting_ >= limit) return;
    places_.clear();
    earliest_waiting_ = nanoseconds::max();
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (waiting_[i].due < limit) {
        places_.push_back(place_of(waiting_[i], i));
      } else {
        earliest_waiting_ = std::min(earliest_waiting_, waiting_[i].due);
      }
    }
    sort_nearly_sorted(places_);
    for (const Place& place : places_) sink_(waiting_[place.index]);
    std::erase_if(waiting_, [&](const Operation& operation) { return operation.due < limit; });
  }

  nanoseconds from_;
  nanoseconds to_;
  const std::function<void(const Operation&)>& sink_;
  std::vector<Cursor> cursors_;
  std::vector<Operation> waiting_;
  std::vector<Place> places_;
  nanoseconds earliest_waiting_ = nanoseconds::max();
};

Result<void> OrderedOperations::add_file(const std::string& path) {
  auto stream = OperationStream::open(path);
  if (!stream) return stream.error();
  auto chunks = stream->skim();
  if (!chunks) return chunks.error();
  files_.push_back({std::move(*stream), std::move(*chunks)});
  return {};
}

Result<void> OrderedOperations::read(nanoseconds from, nanoseconds to,
                                     const std::function<void(const Operation&)>& sink) {
  return Merge{files_, from, to, sink}.run();
}

}  // namespace pgfiredrill
