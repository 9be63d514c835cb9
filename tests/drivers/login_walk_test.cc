#include "drivers/login_walk.h"

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>

#include "tests/drivers/crowd_postgres.h"
#include "tests/support/loopback_server.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;

ConnectParameters target(int port) {
  ConnectParameters parameters;
  parameters.host = "127.0.0.1";
  parameters.port = port;
  parameters.user = "traffic";
  parameters.sslmode = "disable";
  return parameters;
}

LoginEnd walk(boost::asio::io_context& loop, const std::vector<ConnectParameters>& targets,
              std::chrono::nanoseconds limit) {
  LoginEnd result;
  LoginWalk walking{loop, targets};
  walking.start(limit, [&](LoginEnd end) { result = std::move(end); });
  loop.run();
  return result;
}

TEST(LoginWalk, GoesOnFromWhatRefusesAndFromWhatIsSilent) {
  testing::CrowdPostgres server{[](const std::string&) { return std::nullopt; }};
  const testing::LoopbackServer silent{[](int socket) { (void)testing::read_request_head(socket); }};
  for (const int first : {testing::closed_port(), silent.port()}) {
    boost::asio::io_context loop;
    const auto begun = std::chrono::steady_clock::now();
    const LoginEnd end = walk(loop, {target(first), target(server.port())}, 1s);
    EXPECT_TRUE(end.session != nullptr);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 900ms) << "a silent one gets its share, not all";
  }
}

TEST(LoginWalk, EndsWithTheEvidenceOfTheLast) {
  boost::asio::io_context loop;
  const LoginEnd end = walk(loop, {target(testing::closed_port()), target(testing::closed_port())}, 1s);
  EXPECT_EQ(end.session, nullptr);
  EXPECT_THAT(end.evidence.text, ::testing::HasSubstr("refused"));
}

TEST(ShareOf, IsEvenAndNeverNegative) {
  EXPECT_EQ(share_of(900ms, 3), 300ms);
  EXPECT_EQ(share_of(900ms, 1), 900ms);
  EXPECT_EQ(share_of(-1ms, 2), 0ms);
}

}  // namespace
}  // namespace pgfiredrill
