#pragma once

/// Something small for each number of each stream, where the numbers are dense: a page for 4,096 of them,
/// made when one of its numbers is first asked for. Ten million numbers at a bit each are a megabyte and a
/// quarter.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace pgfiredrill {

inline constexpr std::uint64_t kNumbersInPage = 4096;
inline constexpr std::size_t kWordsInPage = kNumbersInPage / 64;

/// Bit `number % 64` of word `number / 64 % kWordsInPage` is the number's.
using NumberBits = std::array<std::uint64_t, kWordsInPage>;

[[nodiscard]] constexpr std::size_t word_of(std::uint64_t number) noexcept {
  return number % kNumbersInPage / 64;
}
[[nodiscard]] constexpr std::uint64_t bit_of(std::uint64_t number) noexcept {
  return std::uint64_t{1} << number % 64;
}

template <typename Page>
class NumberPages {
 public:
  NumberPages() = default;
  NumberPages(NumberPages&&) noexcept = default;
  NumberPages& operator=(NumberPages&&) noexcept = default;
  NumberPages(const NumberPages&) = delete;  // streams remember where their last page is
  NumberPages& operator=(const NumberPages&) = delete;

  /// The page with the number in it, all zeros at first.
  [[nodiscard]] Page& with(std::uint16_t stream, std::uint64_t number) {
    if (stream >= streams_.size()) streams_.resize(std::size_t{stream} + 1);
    Stream& of = streams_[stream];
    const std::uint64_t key = number / kNumbersInPage;
    if (key != of.last_key) of.last_page = &make(of, key);
    return *of.last_page;
  }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// `visit(stream, first number of the page, page)`, in ascending order.
  template <typename Visit>
  void each(Visit visit) const {
    for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
      for (const auto& [key, page] : streams_[stream].pages) {
        visit(static_cast<std::uint16_t>(stream), key * kNumbersInPage, page);
      }
    }
  }

 private:
  struct Stream {
    std::map<std::uint64_t, Page> pages;
    std::uint64_t last_key = std::numeric_limits<std::uint64_t>::max();  ///< of no page
    Page* last_page = nullptr;
  };

  Page& make(Stream& of, std::uint64_t key) {
    const auto [page, is_new] = of.pages.try_emplace(key);
    if (is_new) ++count_;
    of.last_key = key;
    return page->second;
  }

  std::vector<Stream> streams_;
  std::size_t count_ = 0;
};

}  // namespace pgfiredrill
