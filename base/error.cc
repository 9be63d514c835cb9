#include "base/error.h"

#include <utility>

namespace pgfiredrill {

Error::Error(Failure failure, ExitClass exit_class)
    : failure_{std::move(failure)}, exit_class_{exit_class}, message_{failure_.message()} {}

}  // namespace pgfiredrill
