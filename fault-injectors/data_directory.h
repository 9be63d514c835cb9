#pragma once

/// Where a member's PostgreSQL keeps its data.

#include <string>

#include "base/failure.h"
#include "fault-injectors/aiming.h"
#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// By the deployed patroni.yml, else by PostgreSQL itself. Fails `missing` where no member of Patroni's runs
/// on the victim's host. Blocking; worker threads.
[[nodiscard]] Result<std::string> data_directory_of(const Victim& victim, const Tools& tools);

}  // namespace pgfiredrill::fault
