#include "base/http.h"

#include "base/text.h"

namespace pgfiredrill {
namespace {

Failure malformed_address(const std::string& url) {
  return {.kind = FailureKind::malformed,
          .what = "read the address '" + one_line(url, 100) + "'",
          .where = {},
          .came_back = "it is not http[s]://HOST[:PORT]",
          .hint = "Give it as https://10.0.0.1:8008."};
}

}  // namespace

std::string HttpAddress::url() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return std::string{tls ? "https://" : "http://"} + (ipv6 ? "[" + host + "]" : host) + ":" +
         std::to_string(port);
}

Result<HttpAddress> parse_http_address(const std::string& url, int default_port) {
  HttpAddress address{.tls = false, .host = {}, .port = default_port};
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    address.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return malformed_address(url);
  }
  rest = rest.substr(
      0, rest.find('/'));  // a path after the address (Patroni's api_url has one) says nothing here
  if (rest.find('@') != std::string_view::npos)
    return malformed_address("(an address with a password in it)");

  std::string_view port;
  if (rest.starts_with('[')) {
    const auto close = rest.find(']');
    if (close == std::string_view::npos) return malformed_address(url);
    address.host = rest.substr(1, close - 1);
    port = rest.substr(close + 1);
    if (!port.empty() && !port.starts_with(':')) return malformed_address(url);
  } else {
    const auto colon = rest.find(':');
    address.host = rest.substr(0, colon);
    if (colon != std::string_view::npos) port = rest.substr(colon);
  }
  if (address.host.empty() || address.host.find_first_of(" \t\r\n?#") != std::string::npos) {
    return malformed_address(url);
  }
  if (!port.empty()) {
    const auto number = parse_port(port.substr(1));
    if (!number) return malformed_address(url);
    address.port = *number;
  }
  return address;
}

}  // namespace pgfiredrill
