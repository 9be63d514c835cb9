#include "observers/server_way.h"

#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

const LoginEvidence kSilence{.stage = LoginStage::connecting, .deadline_passed = true};
const LoginEvidence kNotReplayedYet{.stage = LoginStage::authenticating, .sqlstate = "28P01"};
const LoginEvidence kNoHbaEntry{.stage = LoginStage::authenticating, .sqlstate = "28000"};

TEST(WayChoice, GoesThroughSshWhereNobodyAnswersDirectly) {
  WayChoice way{true};
  EXPECT_EQ(way.now(), Way::direct);
  way.login_failed(kSilence);
  EXPECT_EQ(way.now(), Way::ssh);
}

TEST(WayChoice, GoesThroughSshWherePgHbaKeepsUsOut) {
  WayChoice way{true};
  way.login_failed(kNoHbaEntry);
  EXPECT_EQ(way.now(), Way::ssh);
}

// A replica hears of the role a moment after the leader: no reason to go round for good.
TEST(WayChoice, WaitsForTheRoleToArrive) {
  WayChoice way{true};
  way.login_failed(kNotReplayedYet);
  EXPECT_EQ(way.now(), Way::direct);
}

TEST(WayChoice, KeepsAWayThatWorkedThoughTheServerGoesDown) {
  WayChoice way{true};
  way.succeeded();
  way.login_failed(kSilence);
  EXPECT_EQ(way.now(), Way::direct);
}

TEST(WayChoice, TriesTheNetworkAgainWhereSshFails) {
  WayChoice way{true};
  way.login_failed(kSilence);
  way.route_failed();
  EXPECT_EQ(way.now(), Way::direct);
  way.login_failed(kSilence);
  way.login_failed(kSilence);
  EXPECT_EQ(way.now(), Way::direct) << "nobody at the forwarded socket either";
}

TEST(WayChoice, StaysOnTheNetworkWithoutSsh) {
  WayChoice way{false};
  way.login_failed(kSilence);
  EXPECT_EQ(way.now(), Way::direct);
}

// Once the forwarded socket worked, ssh's shared connection may break and come back.
TEST(WayChoice, KeepsSshWhenItsRouteBreaks) {
  WayChoice way{true};
  way.login_failed(kSilence);
  way.succeeded();
  way.route_failed();
  way.login_failed(kSilence);
  EXPECT_EQ(way.now(), Way::ssh);
}

}  // namespace
}  // namespace pgfiredrill
