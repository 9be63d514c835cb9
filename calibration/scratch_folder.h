#pragma once

/// A folder of our own that is gone with the object.

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "base/failure.h"

namespace pgfiredrill {

class ScratchFolder {
 public:
  /// Under the system's folder for such. Fails with its reason.
  [[nodiscard]] static Result<std::unique_ptr<ScratchFolder>> create() {
    std::error_code none;
    std::string path = (std::filesystem::temp_directory_path(none) / "pgfiredrill-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) {
      return Failure{.what = "make a folder", .where = path, .came_back = std::strerror(errno)};
    }
    return std::unique_ptr<ScratchFolder>{new ScratchFolder{path}};
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_{std::move(path)} {}
  std::string path_;
};

}  // namespace pgfiredrill
