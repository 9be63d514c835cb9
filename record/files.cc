#include "record/files.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "record/descriptor.h"

namespace pgfiredrill {
namespace {

constexpr mode_t kMode = 0644;
constexpr std::size_t kChunk = 256 << 10;

FailureKind kind_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return FailureKind::missing;
    case EACCES:
    case EPERM:
    case EROFS:
      return FailureKind::denied;
    default:
      return FailureKind::failed;
  }
}

std::string hint_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "Make room there, or choose another folder with --output.";
    case EACCES:
    case EPERM:
    case EROFS:
      return "Choose a folder with --output that you may write to.";
    default:
      return {};
  }
}

Result<void> write_and_sync(const std::string& path, std::string_view text) {
  const Descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kMode)};
  if (!file.open()) return system_failure("create a file", path, errno);
  std::size_t written = 0;
  if (const int error = write_all(file.get(), text, written); error != 0) {
    return system_failure("write a file", path, error);
  }
  if (::fsync(file.get()) != 0) return system_failure("sync a file", path, errno);
  return {};
}

}  // namespace

Failure system_failure(const std::string& what, const std::string& where, int error) {
  return {.kind = kind_of(error),
          .what = what,
          .where = where,
          .came_back = std::generic_category().message(error),
          .hint = hint_for(error)};
}

int write_all(int descriptor, std::string_view text, std::size_t& written) noexcept {
  for (written = 0; written < text.size();) {
    const ssize_t count = ::write(descriptor, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  return 0;
}

Result<void> sync_folder(const std::string& folder) {
  const Descriptor directory{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!directory.open()) return system_failure("open a folder", folder, errno);
  if (::fsync(directory.get()) != 0) return system_failure("sync a folder", folder, errno);
  return {};
}

Result<void> write_file_aside(const std::string& path, std::string_view text) {
  const std::string aside = path + ".new";
  if (auto done = write_and_sync(aside, text); !done) {
    ::unlink(aside.c_str());
    return done;
  }
  if (::rename(aside.c_str(), path.c_str()) != 0) return system_failure("rename a file to", path, errno);
  return sync_folder(std::filesystem::path{path}.parent_path().string());
}

Result<std::string> read_whole_file(const std::string& path, std::size_t limit) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file.open()) return system_failure("open a file", path, errno);
  std::string text;
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    const ssize_t count = ::read(file.get(), text.data() + before, kChunk);
    text.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count == 0) return text;
    if (count < 0 && errno != EINTR) return system_failure("read a file", path, errno);
    if (text.size() > limit) {
      return Failure{.kind = FailureKind::malformed,
                     .what = "read a file",
                     .where = path,
                     .came_back = "it is larger than " + std::to_string(limit) + " bytes"};
    }
  }
}

}  // namespace pgfiredrill
