#pragma once

/// Makes what Ansible printed about its trouble fit for a message.
///
/// Ansible quotes the inventory where it complains about it ("…assignment, got: WORD", the offending line),
/// and an inventory holds passwords. So the words of a message are Ansible's first ERROR line without
/// whatever it may have quoted, known causes in our words, and where in which file.

#include <string>
#include <string_view>

#include "base/failure.h"

namespace pgfiredrill {

struct AnsibleComplaint {
  FailureKind kind = FailureKind::failed;  ///< `denied`, `missing` or `failed`
  std::string text;                        ///< on one line, nothing of the inventory in it
  bool vault = false;                      ///< it is about the vault password
};

/// Of a whole stderr.
[[nodiscard]] AnsibleComplaint read_complaint(std::string_view stderr_text);

/// Of one message, such as a failed host's.
[[nodiscard]] AnsibleComplaint read_message(std::string_view message);

}  // namespace pgfiredrill
