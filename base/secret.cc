#include "base/secret.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pgfiredrill {

Secret::Secret(Secret&& other) noexcept : text_{std::move(other.text_)} {
  other.wipe();
}

Secret& Secret::operator=(const Secret& other) {
  if (this != &other) {
    wipe();
    text_ = other.text_;
  }
  return *this;
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    wipe();
    text_ = std::move(other.text_);
    other.wipe();
  }
  return *this;
}

Secret::~Secret() {
  wipe();
}

void Secret::wipe() noexcept {
  // A moved-from short string keeps its characters in the object, so the whole capacity is wiped, not the
  // length.
  text_.resize(text_.capacity());
  ::explicit_bzero(text_.data(), text_.size());
  text_.clear();
}

std::string scrub(std::string text, const std::vector<Secret>& secrets) {
  std::vector<const std::string*> needles;
  for (const Secret& secret : secrets) {
    if (!secret.empty()) needles.push_back(&secret.reveal());
  }
  std::sort(needles.begin(), needles.end(), [](auto* a, auto* b) { return a->size() > b->size(); });
  for (const std::string* needle : needles) {
    for (auto at = text.find(*needle); at != std::string::npos; at = text.find(*needle, at + 3)) {
      text.replace(at, needle->size(), "***");
    }
  }
  return text;
}

}  // namespace pgfiredrill
