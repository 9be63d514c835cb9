#include "record/segmented_file.h"

#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/files.h"
#include "record/operation_file.h"

namespace pgfiredrill {
namespace {

constexpr mode_t kMode = 0644;
/// 75,000 records: nearly two seconds at the highest rates, and a whole number of pages of any size.
constexpr std::size_t kSegmentBytes = std::size_t{4} << 20;
/// A record may begin just before the end of its segment, and belongs to it whole.
constexpr std::size_t kMappedBytes = kSegmentBytes + kOperationBytes;

constexpr std::size_t kBodyBytes = kOperationBytes - sizeof(std::uint32_t);

/// Allocated before it is mapped: a full disk shall be an error here, and no SIGBUS at a store.
int allocate(int descriptor, std::size_t offset) {
  int error = 0;
  do {
    error = ::posix_fallocate(descriptor, static_cast<off_t>(offset), kMappedBytes);
  } while (error == EINTR);
  return error;
}

/// Faults every page in for writing, for MAP_POPULATE only reads shared ones. File systems that allocate at
/// the first write answer EFAULT where there is no room, and so do not raise SIGBUS later.
int fault_in(void* memory) {
  if (::madvise(memory, kMappedBytes, MADV_POPULATE_WRITE) == 0) return 0;
  switch (errno) {
    case EINVAL:  // a kernel before 5.14: the pages fault in one by one as they are written
      return 0;
    case EFAULT:
      return ENOSPC;
    default:
      return errno;
  }
}

}  // namespace

class SegmentedFile::Segment {
 public:
  Segment(std::byte* memory, std::size_t offset) : memory_{memory}, offset_{offset} {}
  ~Segment() { ::munmap(memory_, kMappedBytes); }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  [[nodiscard]] bool holds(std::size_t at) const noexcept { return at < offset_ + kSegmentBytes; }
  [[nodiscard]] std::byte* at(std::size_t position) const noexcept { return memory_ + (position - offset_); }

 private:
  std::byte* memory_;
  std::size_t offset_;
};

SegmentedFile::SegmentedFile(std::string path, Descriptor descriptor)
    : path_{std::move(path)}, descriptor_{std::move(descriptor)} {}

SegmentedFile::~SegmentedFile() = default;

Result<std::shared_ptr<SegmentedFile>> SegmentedFile::create(const std::string& path,
                                                             const std::string& thread) {
  Descriptor descriptor{::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kMode)};
  if (!descriptor.open()) return system_failure("create a file of operations", path, errno);
  std::shared_ptr<SegmentedFile> file{new SegmentedFile{path, std::move(descriptor)}};
  auto first = file->make_segment(0);
  if (!first) {
    ::unlink(path.c_str());
    return first.error();
  }
  file->current_ = std::move(*first);
  file->next_offset_ = kSegmentBytes;
  const OperationHeaderBytes header = encode_operation_header(thread);
  std::memcpy(file->current_->at(0), header.data(), header.size());
  file->end_ = kOperationHeaderBytes;
  return file;
}

Result<std::unique_ptr<SegmentedFile::Segment>> SegmentedFile::make_segment(std::size_t offset) const {
  if (const int error = allocate(descriptor_.get(), offset); error != 0) {
    return system_failure("make room for operations", path_, error);
  }
  void* const memory = ::mmap(nullptr, kMappedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(),
                              static_cast<off_t>(offset));
  if (memory == MAP_FAILED) return system_failure("map a file of operations", path_, errno);
  auto segment = std::make_unique<Segment>(static_cast<std::byte*>(memory), offset);
  if (const int error = fault_in(memory); error != 0) {
    return system_failure("make room for operations", path_, error);
  }
  return segment;
}

void SegmentedFile::append(const OperationBytes& record) noexcept {
  if (!current_->holds(end_)) advance();
  if (!current_->holds(end_)) {
    ++lost_;
    return;
  }
  std::byte* const at = current_->at(end_);
  std::memcpy(at, record.data(), kBodyBytes);
  std::uint32_t checksum = 0;
  std::memcpy(&checksum, record.data() + kBodyBytes, sizeof checksum);
  std::atomic_ref{*reinterpret_cast<std::uint32_t*>(at + kBodyBytes)}.store(checksum,
                                                                            std::memory_order_release);
  end_ += kOperationBytes;
}

/// Takes the segment that was prepared; makes it here only where the other thread fell behind. Where there
/// was no room, the other thread goes on trying and this one does not wait for it.
void SegmentedFile::advance() noexcept {
  std::unique_lock lock{mutex_, std::defer_lock};
  if (!out_of_room_) {
    lock.lock();
    if (!next_) make_next();
  } else if (!lock.try_lock()) {
    return;
  }
  if (!next_) return;
  previous_ = std::move(current_);
  current_ = std::move(next_);
}

void SegmentedFile::make_next() {
  auto segment = make_segment(next_offset_);
  out_of_room_ = !segment;
  if (!segment) {
    reason_ = segment.error().message();
    return;
  }
  next_ = std::move(*segment);
  next_offset_ += kSegmentBytes;
}

void SegmentedFile::prepare_next() {
  const std::lock_guard lock{mutex_};
  previous_.reset();
  if (!closed_ && !next_) make_next();
}

void SegmentedFile::close() {
  const std::lock_guard lock{mutex_};
  closed_ = true;
  out_of_room_ = false;
  current_.reset();
  next_.reset();
  previous_.reset();
  // What stays is zeros after the last record, which readers know.
  if (::ftruncate(descriptor_.get(), static_cast<off_t>(end_)) != 0) {
    reason_ = system_failure("cut a file of operations", path_, errno).message();
  }
}

std::string SegmentedFile::trouble() const {
  const std::lock_guard lock{mutex_};
  if (lost_ == 0 && !out_of_room_) return {};
  return std::to_string(lost_) + " operations were not recorded: " + reason_;
}

}  // namespace pgfiredrill
