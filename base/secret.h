#pragma once

/// A password, key or token that does not print.
///
/// There is no stream operator, no formatter and no conversion to string: whoever needs the text calls
/// `reveal()`, and a search for that word shows every place. Memory is wiped when the last copy of a buffer
/// goes.

#include <string>
#include <vector>

namespace pgfiredrill {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_{std::move(text)} {}
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept;
  Secret& operator=(const Secret& other);
  Secret& operator=(Secret&& other) noexcept;
  ~Secret();

  [[nodiscard]] const std::string& reveal() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  [[nodiscard]] bool operator==(const Secret& other) const noexcept { return text_ == other.text_; }

 private:
  void wipe() noexcept;

  std::string text_;
};

/// `text` with every occurrence of any of `secrets` replaced by "***". Empty secrets are ignored, longer ones
/// go first so that a secret contained in another leaves no rest. For output of programs that may echo what
/// they were given.
[[nodiscard]] std::string scrub(std::string text, const std::vector<Secret>& secrets);

}  // namespace pgfiredrill
