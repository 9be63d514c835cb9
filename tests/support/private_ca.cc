#include "tests/support/private_ca.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace pgfiredrill::testing {
namespace {

void shell(const std::string& command) {
  if (std::system((command + " >/dev/null 2>&1").c_str()) != 0)
    throw std::runtime_error{"failed: " + command};
}

constexpr const char* kNewKey = "openssl req -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 ";

}  // namespace

PrivateCa::PrivateCa() {
  shell(kNewKey + ("-x509 -days 30 -subj /CN=test-authority -keyout " + (directory_ / "ca.key") + " -out " +
                   (directory_ / "ca.crt")));
}

PrivateCa::Pair PrivateCa::issue(const std::string& alternative_name, int days) const {
  const Pair pair{.certificate_file = directory_ / "server.crt", .key_file = directory_ / "server.key"};
  const std::string request = directory_ / "server.csr";
  const std::string extensions = directory_.write("extensions", "subjectAltName=" + alternative_name + "\n");
  shell(kNewKey + ("-subj /CN=server -keyout " + pair.key_file + " -out " + request));
  shell("openssl x509 -req -in " + request + " -CA " + (directory_ / "ca.crt") + " -CAkey " +
        (directory_ / "ca.key") + " -CAcreateserial -days " + std::to_string(days) + " -extfile " +
        extensions + " -out " + pair.certificate_file);
  // openssl of Debian 13 takes no negative days; certificates count whole seconds.
  if (days == 0) std::this_thread::sleep_for(std::chrono::milliseconds{2'100});
  return pair;
}

std::string PrivateCa::ca_pem() const {
  return read_file(directory_ / "ca.crt");
}

std::string read_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace pgfiredrill::testing
