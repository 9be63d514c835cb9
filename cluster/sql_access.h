#pragma once

/// The few questions that discovery asks by SQL, as a seam, so that it can be tested without a server.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/failure.h"
#include "cluster/connect_parameters.h"
#include "cluster/postgres_control.h"

namespace pgfiredrill {

/// Who answered behind an address, and how long one login with one query took.
struct LoginAnswer {
  ServerIdentity server;
  std::chrono::microseconds took{0};
};

struct PoolerAnswer {
  std::string version;
  std::map<std::string, std::string> config;  ///< SHOW CONFIG
};

/// Thread-safe; every call opens and closes a session of its own. Blocking; worker threads only.
class SqlAccess {
 public:
  virtual ~SqlAccess() = default;
  [[nodiscard]] virtual Result<LoginAnswer> login(const ConnectParameters& parameters,
                                                  const std::string& where) = 0;
  [[nodiscard]] virtual Result<std::map<std::string, std::string>> settings(
      const ConnectParameters& parameters, const std::string& where,
      const std::vector<std::string>& names) = 0;
  [[nodiscard]] virtual Result<PoolerAnswer> pooler(const ConnectParameters& parameters,
                                                    const std::string& where) = 0;
};

class SystemSqlAccess final : public SqlAccess {
 public:
  [[nodiscard]] Result<LoginAnswer> login(const ConnectParameters& parameters,
                                          const std::string& where) override;
  [[nodiscard]] Result<std::map<std::string, std::string>> settings(
      const ConnectParameters& parameters, const std::string& where,
      const std::vector<std::string>& names) override;
  [[nodiscard]] Result<PoolerAnswer> pooler(const ConnectParameters& parameters,
                                            const std::string& where) override;
};

}  // namespace pgfiredrill
