#include "suites/login_cost.h"

#include <gmock/gmock.h>

#include "tests/support/fake_host.h"

namespace pgfiredrill {
namespace {

using testing::FakeHost;
using ::testing::HasSubstr;

/// Counts logins; those to ports in `refused` fail.
class CountingSql final : public SqlAccess {
 public:
  Result<LoginAnswer> login(const ConnectParameters& parameters, const std::string& where) override {
    if (parameters.port == refused)
      return Failure{.what = "log in", .where = where, .came_back = "no pg_hba.conf entry"};
    ++logins;
    return LoginAnswer{};
  }
  Result<std::map<std::string, std::string>> settings(const ConnectParameters&, const std::string&,
                                                      const std::vector<std::string>&) override {
    return std::map<std::string, std::string>{};
  }
  Result<PoolerAnswer> pooler(const ConnectParameters&, const std::string&) override {
    return PoolerAnswer{};
  }

  int logins = 0;
  int refused = -1;
};

/// Two poolers whose processes' CPU time is what a test says for each look.
class LoginCost : public ::testing::Test {
 protected:
  LoginCost() {
    for (const char* name : {"pg1", "pg2"}) {
      EntryPoint point;
      point.kind = EntryPointKind::pooler;
      point.host = name;
      point.address = {name, point.host == "pg1" ? 6432 : 6433};
      cluster_.entry_points.push_back(point);
    }
  }

  Result<double> measure() {
    const HostFinder find = [this](const std::string& name) -> Host& { return name == "pg1" ? one_ : two_; };
    return measure_login_cost(cluster_, find, sql_, {.database = "d", .user = "u"});
  }

  /// 12 logins lie between two looks.
  FakeHost one_{"pg1", [this](const RemoteCommand&) {
                  return Result<RemoteResult>{{.out = sql_.logins > 5 ? "36000000 1 1\n" : "0 0 0\n"}};
                }};
  FakeHost two_{"pg2", [this](const RemoteCommand&) { return two_says_(sql_.logins); }};
  std::function<Result<RemoteResult>(int logins)> two_says_ = [](int) {
    return Result<RemoteResult>{{.out = "5 0 0\n"}};
  };
  ClusterDescription cluster_;
  CountingSql sql_;
};

TEST_F(LoginCost, IsThatOfTheDearestPooler) {
  const auto cost = measure();
  ASSERT_TRUE(cost);
  EXPECT_DOUBLE_EQ(*cost, 0.003);
}

/// autobase can start several processes behind one port.
TEST_F(LoginCost, AddsUpTheProcessesOfAHost) {
  cluster_.entry_points.erase(cluster_.entry_points.begin());
  two_says_ = [](int logins) {
    return Result<RemoteResult>{{.out = logins > 1 ? "70000000 0 0\n50000000 0 0\n" : "0 0 0\n0 0 0\n"}};
  };
  EXPECT_DOUBLE_EQ(measure().value(), 0.01);
}

TEST_F(LoginCost, OnePoolerThatCannotBeWatchedIsNoObstacle) {
  two_says_ = [](int) { return Result<RemoteResult>{{.out = ""}}; };
  EXPECT_DOUBLE_EQ(measure().value(), 0.003);
}

TEST_F(LoginCost, SaysWhyWhereNothingCouldBeWatched) {
  cluster_.entry_points.erase(cluster_.entry_points.begin());
  for (const char* out : {"", "x 1 2\n", "-5 1 2\n"}) {
    two_says_ = [out](int) { return Result<RemoteResult>{{.out = out}}; };
    EXPECT_FALSE(measure()) << out;
  }
  sql_.refused = 6433;
  const auto refused = measure();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("pg_hba"));
  cluster_.entry_points.clear();
  EXPECT_FALSE(measure());
}

TEST(BearableLogins, TakeAtMostASixthOfACore) {
  EXPECT_DOUBLE_EQ(bearable_logins(0.003), 50);
  EXPECT_GT(bearable_logins(0), 1e9) << "a cost too small to see limits nothing";
}

}  // namespace
}  // namespace pgfiredrill
