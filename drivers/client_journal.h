#pragma once

/// Tells the record what sessions held as applications hold them went through.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/secret.h"
#include "drivers/classify.h"
#include "drivers/client_plan.h"
#include "drivers/statements.h"
#include "record/recorder.h"

namespace pgfiredrill {

/// Any thread; `recorder` must outlive it.
class ClientJournal {
 public:
  /// `password` is struck out of every text.
  ClientJournal(Recorder& recorder, Secret password) : recorder_{recorder}, password_{std::move(password)} {}

  void set_repeat(std::size_t drill, std::size_t repeat) {
    drill_ = drill;
    repeat_ = repeat;
  }

  void opened(std::uint64_t client, const ClientSpec& spec, std::int64_t postmaster_start);
  /// It could not be had: there is nothing to follow.
  void not_opened(const ClientSpec& spec, const std::string& why);

  struct Answer {
    const char* statement = "";
    nanoseconds took{0};
    Classification trouble;  ///< no error: it was answered
    std::string text;        ///< of the error
    bool broken = false;     ///< the session is of no use any more
    pgfiredrill::Answer server;
  };
  void answered(std::uint64_t client, const Answer& answer);
  void closed(std::uint64_t client, std::optional<nanoseconds> waiting);

 private:
  Recorder& recorder_;
  Secret password_;
  std::size_t drill_ = 0;
  std::size_t repeat_ = 0;
};

}  // namespace pgfiredrill
