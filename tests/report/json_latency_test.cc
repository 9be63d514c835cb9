#include "report/json_latency.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/run_json.h"
#include "tests/report/sample_run.h"

namespace pgfiredrill {
namespace {

using nlohmann::json;
using testing::mixed_run;

json repeat_of(const json& document, std::size_t drill) {
  return document["drills"][drill]["repeats"][0];
}

std::string reason_of(const json& document, const std::string& pointer) {
  for (const json& missing : document["not_measured"]) {
    if (missing["pointer"] == pointer) return missing["reason"];
  }
  return "";
}

TEST(JsonLatency, HasEveryPathsTimesBeforeAndAfter) {
  const json latency = repeat_of(json::parse(render_run_json(mixed_run())), 0)["paths"][0]["latency"];
  EXPECT_EQ(latency["response"]["before"]["count"], 600);
  EXPECT_EQ(latency["response"]["before"]["p50_s"], 0.0125);
  EXPECT_EQ(latency["response"]["after"]["p50_s"], 0.15);
  EXPECT_EQ(latency["service"]["before"]["max_s"], 0.006);
  EXPECT_EQ(latency["service"]["after"]["p999_s"], 0.01);
}

TEST(JsonLatency, WhatDidNotSucceedHasNoneAndAReason) {
  const json document = json::parse(render_run_json(mixed_run()));
  EXPECT_TRUE(repeat_of(document, 1)["paths"][0]["latency"]["response"]["after"].is_null());
  EXPECT_NE(reason_of(document, "/drills/1/repeats/0/paths/0/latency/response/after"), "");
}

TEST(JsonLatency, HasLedgerReturnAndApplications) {
  const json repeat = repeat_of(json::parse(render_run_json(mixed_run())), 0);
  EXPECT_EQ(repeat["ledger_latency"][0]["path"], "ledger");
  EXPECT_EQ(repeat["ledger_latency"][0]["latency"]["response"]["after"]["count"], 600);
  EXPECT_EQ(repeat["return_to_normal"]["throughput_s"], 7.8);
  EXPECT_EQ(repeat["return_to_normal"]["baseline_per_s"], 140);
  EXPECT_EQ(repeat["applications"][1]["policy"], "driver-default");
  EXPECT_EQ(repeat["applications"][1]["unfinished"], 36);
  EXPECT_EQ(repeat["applications"][1]["censored"], true);
}

TEST(JsonLatency, HasReconnectCapacityOfEachLayer) {
  const json document = json::parse(render_run_json(mixed_run()));
  EXPECT_EQ(document["reconnect"][0]["layer"], "balancer");
  EXPECT_EQ(document["reconnect"][0]["limited_by_driver"], true);
  EXPECT_EQ(document["reconnect"][0]["sessions_back_s"], 4);
  EXPECT_TRUE(document["reconnect"][1]["sessions"].is_null());
  EXPECT_EQ(reason_of(document, "/reconnect/1/sessions"), "max_connections was not learnt");
}

}  // namespace
}  // namespace pgfiredrill
