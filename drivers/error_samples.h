#pragma once

/// The text of the first error of each kind on each path, for people. Shared by all threads of a run.

#include <mutex>
#include <set>
#include <string>
#include <tuple>

#include "base/secret.h"
#include "drivers/classify.h"
#include "record/recorder.h"

namespace pgfiredrill {

class ErrorSamples {
 public:
  /// `password` is struck out of every text.
  ErrorSamples(Recorder& recorder, Secret password) : recorder_{recorder}, password_{std::move(password)} {}

  void note(const std::string& path, const Classification& classification, const std::string& text);
  /// "57P03 (postgres): the database system is starting up"
  [[nodiscard]] std::string describe(const Classification& classification, const std::string& text) const;

 private:
  /// A peer that invents SQLSTATEs does not fill the record.
  static constexpr std::size_t kMost = 2'000;

  Recorder& recorder_;
  Secret password_;
  std::mutex mutex_;
  std::set<std::tuple<std::string, ErrorClass, Layer>> seen_;
};

}  // namespace pgfiredrill
