#include "report/xml_text.h"

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

TEST(XmlText, EscapesMarkup) {
  EXPECT_EQ(xml_text("<a b=\"c\" d='e'>&</a>]]>"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;&lt;/a&gt;]]&gt;");
}

/// In an attribute a bare line break would become a space.
TEST(XmlText, KeepsLineBreaksAndTabs) {
  EXPECT_EQ(xml_text("a\n\tb\r"), "a&#10;&#9;b&#13;");
}

TEST(XmlText, RemovesControlCharactersAndWhatXmlDoesNotKnow) {
  EXPECT_EQ(xml_text(std::string_view{"a\0\x01\x1b[2J\x7f\xc2\x9b"
                                      "b",
                                      12}),
            "a[2Jb");
  EXPECT_EQ(xml_text("\xef\xbf\xbe\xef\xbf\xbf"), "");
}

TEST(XmlText, KeepsUtf8AndReplacesWhatIsNone) {
  EXPECT_EQ(xml_text("Zürich ✅ 𝄞"), "Zürich ✅ 𝄞");
  EXPECT_EQ(xml_text("\xff"
                     "a"),
            "\xef\xbf\xbd"
            "a");
  EXPECT_EQ(xml_text("\xc3"), "\xef\xbf\xbd") << "cut";
  EXPECT_EQ(xml_text("\xc0\x80"), "\xef\xbf\xbd\xef\xbf\xbd") << "overlong";
  EXPECT_EQ(xml_text("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "surrogate";
  EXPECT_EQ(xml_text("\xf4\x90\x80\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "too large";
}

}  // namespace
}  // namespace pgfiredrill
