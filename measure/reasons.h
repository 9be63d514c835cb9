#pragma once

/// Why a verdict is what it is.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/verdict.h"

namespace pgfiredrill {

class Reasons {
 public:
  void add(Verdict verdict, std::string sentence) { reasons_.emplace_back(verdict, std::move(sentence)); }

  /// The worst that was added; passed where nothing was.
  [[nodiscard]] Verdict verdict() const {
    Verdict worst = Verdict::passed;
    for (const auto& [verdict, sentence] : reasons_) worst = worse(worst, verdict);
    return worst;
  }

  /// The most serious first, each once.
  [[nodiscard]] std::vector<std::string> sentences() const {
    auto sorted = reasons_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> sentences;
    for (auto& [verdict, sentence] : sorted) {
      if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) {
        sentences.push_back(std::move(sentence));
      }
    }
    return sentences;
  }

 private:
  std::vector<std::pair<Verdict, std::string>> reasons_;
};

}  // namespace pgfiredrill
