#include "cluster/socket_deadline.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct SocketPair {
  int ends[2];
  SocketPair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0); }
  ~SocketPair() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
};

TEST(SocketDeadline, EndsABlockingRead) {
  const SocketPair pair;
  SocketDeadline deadline{pair.ends[0], milliseconds{50}};
  char byte = 0;
  EXPECT_EQ(::recv(pair.ends[0], &byte, 1, 0), 0);
  EXPECT_TRUE(deadline.stop());
  EXPECT_TRUE(deadline.stop());
}

TEST(SocketDeadline, LeavesASocketAloneOnceStopped) {
  const SocketPair pair;
  const auto start = steady_clock::now();
  {
    SocketDeadline deadline{pair.ends[0], milliseconds{60'000}};
    EXPECT_FALSE(deadline.stop());
  }
  EXPECT_LT(steady_clock::now() - start, milliseconds{10'000});
  EXPECT_EQ(::send(pair.ends[1], "x", 1, MSG_NOSIGNAL), 1);
}

// A library may close its socket while it is watched; the number then belongs to somebody else.
TEST(SocketDeadline, ShutsDownNobodyElsesSocket) {
  SocketPair watched;
  const SocketPair other;
  SocketDeadline deadline{watched.ends[0], milliseconds{50}};
  ASSERT_EQ(::dup2(other.ends[0], watched.ends[0]), watched.ends[0]);
  char byte = 0;
  EXPECT_EQ(::recv(watched.ends[1], &byte, 1, 0), 0);  // the watched socket's peer sees its end
  EXPECT_TRUE(deadline.stop());
  EXPECT_EQ(::send(other.ends[1], "x", 1, MSG_NOSIGNAL), 1);
  EXPECT_EQ(::recv(other.ends[0], &byte, 1, 0), 1);
}

}  // namespace
}  // namespace pgfiredrill
