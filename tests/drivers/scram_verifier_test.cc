#include "drivers/scram_verifier.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The example of RFC 7677: password "pencil", its salt and iterations; keys computed from them.
TEST(ScramVerifier, IsThatOfTheStandardsExample) {
  const std::string salt{"\x5b\x6d\x99\x68\x9d\x12\x35\x8e\xec\xa0\x4b\x14\x12\x36\xfa\x81", 16};
  EXPECT_EQ(scram_verifier(Secret{"pencil"}, salt, 4096),
            "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$"
            "WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=");
}

TEST(ScramVerifier, DoesNotHoldThePassword) {
  EXPECT_THAT(scram_verifier(Secret{"example-password"}, "salt", 1), Not(HasSubstr("example-password")));
}

}  // namespace
}  // namespace pgfiredrill
