#pragma once

/// What PostgreSQL stores for a password, computed here: the password itself goes to no server and no log.

#include <string>

#include "base/secret.h"

namespace pgfiredrill {

/// `SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey` (RFC 5802, 7677). `password` is ASCII. Iterations make
/// guessing a weak password dearer, at some milliseconds of CPU for every login; one of 256 random bits needs
/// none. `salt` is the raw bytes. Empty where the cryptographic library fails.
[[nodiscard]] std::string scram_verifier(const Secret& password, const std::string& salt, int iterations);

}  // namespace pgfiredrill
