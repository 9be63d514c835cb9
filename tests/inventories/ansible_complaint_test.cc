#include "inventories/ansible_complaint.h"

#include <string>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(AnsibleComplaint, IsTheFirstErrorLineOfEitherForm) {
  EXPECT_EQ(read_complaint("[WARNING]: something\nERROR! It broke.\nERROR! later\n").text, "It broke");
  EXPECT_EQ(read_complaint("[ERROR]: It broke.\nmore\n").text, "It broke");
  EXPECT_EQ(read_complaint("ERROR: Ansible requires UTF-8\n").text, "Ansible requires UTF-8");
}

TEST(AnsibleComplaint, IsEmptyWhereAnsibleSaidNothingOfUse) {
  EXPECT_EQ(read_complaint("").text, "");
  EXPECT_EQ(read_complaint("Traceback (most recent call last):\n  example-secret\n").text, "");
}

/// Ansible's releases quote what they read in these ways, and more may come.
TEST(AnsibleComplaint, HidesWhatMayBeQuotedFromTheInventory) {
  for (const char* message : {
           "Expected key=value host variable assignment, got: example-secret",
           "Error parsing host definition 'pg1 pw=\"example-secret': No closing quotation",
           "Error parsing host definition 'pg1 pw='example-secret' x': No closing quotation",
           "Error parsing host definition \"pg1 pw=example-secret",
           "expected token 'end of print statement', got 'example-secret'",
           "template error while templating string: bad. String: {{ example-secret }}",
           "Syntax Error. The offending line appears to be: pw: example-secret",
           "Inventory script (/x) had an execution error: example-secret",
           "No module named 'example-secret'",
       }) {
    EXPECT_THAT(read_message(message).text, Not(HasSubstr("example-secret"))) << message;
    EXPECT_THAT(read_complaint("ERROR! " + std::string{message} + "\n").text,
                Not(HasSubstr("example-secret")))
        << message;
  }
}

TEST(AnsibleComplaint, KeepsQuotedNamesThatHelp) {
  EXPECT_EQ(read_message("'network' is undefined. 'network' is undefined").text,
            "'network' is undefined. 'network' is undefined");
  EXPECT_EQ(read_message("could not read '/srv/group_vars/all.yml'").text,
            "could not read '/srv/group_vars/all.yml'");
  EXPECT_EQ(read_message("The lookup plugin 'example.vault' was not found").text,
            "The lookup plugin 'example.vault' was not found");
}

TEST(AnsibleComplaint, SkipsTheLayersThatAMessageCameThrough) {
  EXPECT_EQ(
      read_message("Task failed: Finalization of task args for 'ansible.builtin.debug' failed: Error while "
                   "resolving value for 'msg': division by zero")
          .text,
      "division by zero");
  EXPECT_EQ(
      read_message("An unhandled exception occurred while running the lookup plugin 'vars'. Error was a "
                   "<class 'AnsibleError'>, original message: division by zero")
          .text,
      "division by zero");
}

TEST(AnsibleComplaint, FindsTheLine) {
  EXPECT_THAT(
      read_complaint("[WARNING]:  * Failed to parse /srv/hosts with ini plugin:\n/srv/hosts:12: Expected\n"
                     "key=value host variable assignment, got: x\nERROR! No inventory was parsed\n")
          .text,
      HasSubstr("(line 12)"));
  EXPECT_THAT(
      read_complaint("ERROR! \nSyntax Error while loading YAML.\n in '/srv/all.yml': line 7, column 3, but\n")
          .text,
      HasSubstr("(line 7)"));
  EXPECT_THAT(read_complaint(
                  "[WARNING]: YAML parsing failed: bad.\nOrigin: /srv/all.yml:4:4\n[ERROR]: No inventory\n")
                  .text,
              HasSubstr("(line 4)"));
}

TEST(AnsibleComplaint, TellsPermissionsVaultAndMissingFilesApart) {
  EXPECT_EQ(read_complaint("ERROR! an error occurred while trying to read the file '/srv/hosts': [Errno 13] "
                           "Permission denied: b'/srv/hosts'\n")
                .kind,
            FailureKind::denied);
  EXPECT_FALSE(read_complaint("ERROR! [Errno 13] Permission denied\n").vault);
  EXPECT_TRUE(read_message("Attempting to decrypt but no vault secrets found").vault);
  EXPECT_TRUE(read_message("Decryption failed (no vault secrets were found that could decrypt)").vault);
  EXPECT_EQ(read_complaint("ERROR! The vault password file /srv/pw was not found\n").kind,
            FailureKind::missing);
  EXPECT_EQ(read_complaint("ERROR! something else\n").kind, FailureKind::failed);
}

TEST(AnsibleComplaint, IsOneShortLineWhateverCame) {
  const std::string noise(1'000'000, '\'');
  EXPECT_LT(read_complaint("ERROR! " + noise).text.size(), 210u);
  std::string hostile = "ERROR! YAML parsing failed ";
  while (hostile.size() < 1'000'000) hostile += "line , column :9";
  EXPECT_LT(read_complaint(hostile).text.size(), 300u);
  EXPECT_EQ(read_message("a\nb\tc\x1b[31m").text, "a b c [31m");
}

}  // namespace
}  // namespace pgfiredrill
