#pragma once

/// A lab that was discovered, for tests that drive its hosts and services from this process.

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/cluster_description.h"
#include "base/host.h"
#include "base/http.h"
#include "base/process.h"

namespace pgfiredrill::testing {

class DiscoveredLab : public ::testing::Test {
 protected:
  /// Skips, with the reason, where no lab is named.
  void discover_lab();

  SystemProcessRunner processes_;
  SystemHttpClient http_;
  SystemClock clock_;
  std::map<std::string, std::unique_ptr<Host>> hosts_;  ///< by their names in the inventory
  ClusterDescription cluster_;
};

}  // namespace pgfiredrill::testing
