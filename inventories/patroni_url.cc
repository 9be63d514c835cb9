#include "base/http.h"
#include "inventories/ansible_inventory.h"

namespace pgfiredrill {
namespace {

constexpr int kPatroniPort = 8008;

}  // namespace

Result<ClusterSeed> seed_from_patroni_url(const std::string& url) {
  // Before any message shows the text.
  if (url.find('@') != std::string::npos) {
    return Failure{.kind = FailureKind::malformed,
                   .what = "read Patroni's address",
                   .where = {},
                   .came_back = "there is a user or a password in it",
                   .hint = "Give http[s]://HOST[:PORT] alone: nothing that is asked there needs a login."};
  }
  const auto address = parse_http_address(url, kPatroniPort);
  if (!address) return address.error();
  ClusterSeed seed;
  seed.patroni_url = address->url();
  seed.source = seed.patroni_url;
  return seed;
}

}  // namespace pgfiredrill
