#pragma once

/// Certificates for tests: an authority of the test's own and servers signed by it, made by the openssl
/// program.

#include <string>

#include "tests/support/temporary_directory.h"

namespace pgfiredrill::testing {

class PrivateCa {
 public:
  PrivateCa();

  struct Pair {
    std::string certificate_file;
    std::string key_file;
  };
  /// `alternative_name`: "IP:127.0.0.1" or "DNS:localhost"; one of 0 days has expired when this returns.
  [[nodiscard]] Pair issue(const std::string& alternative_name, int days = 30) const;
  [[nodiscard]] std::string ca_pem() const;

 private:
  TemporaryDirectory directory_;
};

[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace pgfiredrill::testing
