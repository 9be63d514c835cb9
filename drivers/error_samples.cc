#include "drivers/error_samples.h"

namespace pgfiredrill {

void ErrorSamples::note(const std::string& path, const Classification& classification,
                        const std::string& text) {
  if (classification.error.none()) return;
  {
    const std::lock_guard lock{mutex_};
    if (seen_.size() >= kMost) return;
    if (!seen_.emplace(path, classification.error, classification.layer).second) return;
  }
  recorder_.add({.kind = event::kErrorSample,
                 .fields = {{"path", path},
                            {"class", classification.error.to_string()},
                            {"layer", std::string{to_string(classification.layer)}},
                            {"text", scrub(one_line(text), {password_})}}});
}

std::string ErrorSamples::describe(const Classification& classification, const std::string& text) const {
  std::string line = classification.error.to_string() + " (" + to_string(classification.layer) + ")";
  if (!text.empty()) line += ": " + scrub(one_line(text), {password_});
  return line;
}

}  // namespace pgfiredrill
