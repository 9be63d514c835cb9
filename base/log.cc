#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace pgfiredrill {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

class StderrLog final : public Log {
 public:
  explicit StderrLog(LogLevel least) : logger_{"", std::make_shared<spdlog::sinks::stderr_sink_mt>()} {
    logger_.set_level(spdlog_level(least));
    logger_.set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  }

  void write(LogLevel level, const std::string& message) override {
    logger_.log(spdlog_level(level), message);
  }

 private:
  spdlog::logger logger_;
};

}  // namespace

std::unique_ptr<Log> make_stderr_log(LogLevel least) {
  return std::make_unique<StderrLog>(least);
}

}  // namespace pgfiredrill
