#include "measure/histogram.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>

namespace pgfiredrill {

namespace {

using std::chrono::microseconds;

constexpr std::uint64_t kLongestUs = 3'600'000'000;

std::uint64_t whole_microseconds(nanoseconds time) {
  const auto us = std::chrono::duration_cast<microseconds>(time).count();
  return std::min(static_cast<std::uint64_t>(std::max<microseconds::rep>(us, 0)), kLongestUs);
}

nanoseconds from_us(std::uint64_t us) {
  return microseconds{static_cast<microseconds::rep>(us)};
}

nanoseconds from_us(double us) {
  return nanoseconds{static_cast<nanoseconds::rep>(std::llround(us * 1000))};
}

/// A bucket that is full stays full.
void add_to(std::uint32_t& bucket, std::uint64_t more) {
  const std::uint64_t sum = bucket + more;
  bucket =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, std::numeric_limits<std::uint32_t>::max()));
}

/// How many of `count` make up a share of them; products of shares are not exact (0.07 × 100 is above 7).
std::uint64_t rank_of(double quantile, std::uint64_t count) {
  const double exact = std::clamp(quantile, 0.0, 1.0) * static_cast<double>(count);
  const auto rank = static_cast<std::uint64_t>(std::ceil(exact * (1 - 1e-12)));
  return std::clamp<std::uint64_t>(rank, 1, count);
}

}  // namespace

/// Page 0 holds 0 to 1023 µs, page 1 1024 to 2047, each further one twice the span of the one before.
std::size_t LatencyHistogram::page_of(std::uint64_t us) {
  const auto bits = static_cast<std::size_t>(std::bit_width(us));
  const auto bits_of_page = static_cast<std::size_t>(std::bit_width(kPageSize) - 1);
  return bits <= bits_of_page ? 0 : bits - bits_of_page;
}

LatencyHistogram::Bucket LatencyHistogram::bucket_at(std::size_t page, std::size_t slot) {
  const std::size_t shift = page == 0 ? 0 : page - 1;
  const std::uint64_t first = (page == 0 ? slot : slot + kPageSize) << shift;
  const std::uint64_t width = std::uint64_t{1} << shift;
  return {.first = from_us(first), .last = from_us(first + width - 1)};
}

std::vector<std::uint32_t>& LatencyHistogram::page(std::size_t number) {
  std::vector<std::uint32_t>& page = pages_[number];
  if (page.empty()) page.resize(kPageSize);
  return page;
}

void LatencyHistogram::record(nanoseconds time) {
  const std::uint64_t us = whole_microseconds(time);
  const std::size_t number = page_of(us);
  const std::size_t shift = number == 0 ? 0 : number - 1;
  add_to(page(number)[(us >> shift) % kPageSize], 1);
  ++count_;
  sum_us_ += us;
  max_us_ = std::max(max_us_, us);
}

void LatencyHistogram::add(const LatencyHistogram& other) {
  for (std::size_t number = 0; number < kPages; ++number) {
    const std::vector<std::uint32_t>& more = other.pages_[number];
    if (more.empty()) continue;
    std::vector<std::uint32_t>& own = page(number);
    for (std::size_t slot = 0; slot < kPageSize; ++slot) add_to(own[slot], more[slot]);
  }
  count_ += other.count_;
  sum_us_ += other.sum_us_;
  max_us_ = std::max(max_us_, other.max_us_);
}

void LatencyHistogram::for_each(const std::function<void(const Bucket&)>& see) const {
  for (std::size_t number = 0; number < kPages; ++number) {
    for (std::size_t slot = 0; slot < pages_[number].size(); ++slot) {
      if (pages_[number][slot] == 0) continue;
      Bucket bucket = bucket_at(number, slot);
      bucket.count = pages_[number][slot];
      see(bucket);
    }
  }
}

std::optional<nanoseconds> LatencyHistogram::mean() const {
  if (count_ == 0) return std::nullopt;
  return from_us(static_cast<double>(sum_us_) / static_cast<double>(count_));
}

std::optional<nanoseconds> LatencyHistogram::max() const {
  if (count_ == 0) return std::nullopt;
  return from_us(max_us_);
}

std::optional<nanoseconds> LatencyHistogram::standard_deviation() const {
  if (count_ == 0) return std::nullopt;
  const double mean = static_cast<double>(sum_us_) / static_cast<double>(count_);
  double squares = 0;
  for_each([&](const Bucket& bucket) {
    const double middle = static_cast<double>((bucket.first + bucket.last).count()) / 2000;
    squares += static_cast<double>(bucket.count) * (middle - mean) * (middle - mean);
  });
  return from_us(std::sqrt(squares / static_cast<double>(count_)));
}

std::optional<nanoseconds> LatencyHistogram::value_at_quantile(double quantile) const {
  if (count_ == 0) return std::nullopt;
  const std::uint64_t rank = rank_of(quantile, count_);
  std::uint64_t seen = 0;
  for (std::size_t number = 0; number < kPages; ++number) {
    for (std::size_t slot = 0; slot < pages_[number].size(); ++slot) {
      seen += pages_[number][slot];
      if (seen >= rank) return std::min(bucket_at(number, slot).last, from_us(max_us_));
    }
  }
  return from_us(max_us_);
}

}  // namespace pgfiredrill
