#pragma once

/// `--power 'COMMAND with {action} and {host}'`: the user's own way to switch a host on and off.

#include <string>
#include <vector>

#include "base/failure.h"
#include "base/process.h"
#include "fault-injectors/fault.h"

namespace pgfiredrill {

/// The words of a command line: parted by spaces, quotes ('…' and "…") keep a word together, a backslash
/// takes what follows as it is. Nothing is expanded: no shell reads it. Fails `malformed` where a quote does
/// not end.
[[nodiscard]] Result<std::vector<std::string>> split_command(const std::string& text);

/// Runs the command without a shell; {action} (on or off) and {host} (the name in the inventory) are replaced
/// wherever they stand in a word, and so a host's name is always part of one word. It fails where the command
/// does, with what it printed. An empty command gives an empty function. Fails `malformed` where {action} or
/// {host} is missing: the command would do the same whatever was asked. `processes` must outlive it.
[[nodiscard]] Result<fault::PowerSwitch> power_switch(const std::string& command, ProcessRunner& processes);

}  // namespace pgfiredrill
