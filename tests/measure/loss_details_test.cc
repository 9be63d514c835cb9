#include "measure/loss_details.h"

#include <gmock/gmock.h>

#include "base/lsn.h"

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;

Operation acknowledged(std::uint16_t stream, std::uint64_t number, std::uint16_t node, std::uint32_t timeline,
                       std::uint64_t lsn) {
  Operation operation;
  operation.outcome = Outcome::acknowledged;
  operation.write = true;
  operation.stream = stream;
  operation.number = number;
  operation.node = node;
  operation.timeline = timeline;
  operation.lsn = lsn;
  return operation;
}

std::vector<Event> servers() {
  return {{.kind = event::kServerSeen,
           .fields = {{"node", std::int64_t{1}}, {"postmaster_start", std::string{"111"}}}},
          {.kind = event::kServerSeen,
           .fields = {{"node", std::int64_t{2}}, {"postmaster_start", std::string{"222"}}}},
          {.kind = event::kServerIdentity,
           .fields = {{"member", std::string{"pgnode01"}}, {"postmaster_start", std::string{"111"}}}}};
}

TEST(LossDetails, TellWhoAcknowledgedWhatIsLostAndWhere) {
  const std::vector<NumberRange> ranges{{.stream = 1, .first = 10, .last = 20},
                                        {.stream = 2, .first = 5, .last = 5}};
  LossDetails details{ranges, servers()};
  details.on(acknowledged(1, 12, 1, 3, 0x1'0000'2000));
  details.on(acknowledged(1, 10, 1, 3, 0x1'0000'1000));
  details.on(acknowledged(1, 20, 1, 3, 0x1'0000'1800));
  details.on(acknowledged(1, 9, 2, 4, 1));
  details.on(acknowledged(1, 21, 2, 4, 1));
  details.on(acknowledged(2, 5, 2, 4, 0x900));
  const auto told = details.finish();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_THAT(told[0].members, ElementsAre("pgnode01"));
  EXPECT_THAT(told[0].timelines, ElementsAre(3u));
  EXPECT_EQ(told[0].first_lsn, "1/1000");
  EXPECT_EQ(told[0].last_lsn, "1/2000");
  EXPECT_EQ(told[0].wal_bytes, 0x1000);
  EXPECT_THAT(told[1].members, ElementsAre("")) << "nobody told which member the second server is";
  EXPECT_EQ(told[1].wal_bytes, std::nullopt) << "one position has no length";
}

/// What else lies inside a range was never promised to be there.
TEST(LossDetails, LookAtFullAcknowledgementsOnly) {
  LossDetails details{{{.stream = 1, .first = 1, .last = 9}}, servers()};
  Operation weak = acknowledged(1, 5, 1, 3, 0x100);
  weak.outcome = Outcome::weak;
  details.on(weak);
  Operation sent = acknowledged(1, 6, 1, 3, 0x100);
  sent.kind = RecordKind::sent;
  details.on(sent);
  const auto told = details.finish();
  EXPECT_TRUE(told[0].members.empty());
  EXPECT_EQ(told[0].first_lsn, "");
}

TEST(LossDetails, MeasureNoLengthAcrossTimelines) {
  LossDetails details{{{.stream = 1, .first = 1, .last = 9}}, servers()};
  details.on(acknowledged(1, 1, 1, 3, 0x100));
  details.on(acknowledged(1, 2, 1, 4, 0x900));
  EXPECT_EQ(details.finish()[0].wal_bytes, std::nullopt);
}

TEST(Lsn, IsWrittenAsItIsRead) {
  for (const std::uint64_t position :
       {std::uint64_t{0}, std::uint64_t{0x3000028}, std::uint64_t{0x16B374D848}, UINT64_MAX})
    EXPECT_EQ(parse_lsn(format_lsn(position)), position);
  EXPECT_EQ(format_lsn(0x16B374D848), "16/B374D848");
}

}  // namespace
}  // namespace pgfiredrill
