#pragma once

/// An HttpClient without a network: a function of the test answers each request.

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "base/http.h"

namespace pgfiredrill::testing {

class FakeHttpClient final : public HttpClient {
 public:
  using Answer = std::function<Result<HttpResponse>(const HttpAddress&, const HttpRequest&)>;

  explicit FakeHttpClient(Answer answer) : answer_{std::move(answer)} {}

  [[nodiscard]] Result<HttpResponse> send(const HttpAddress& address, const TlsIdentity&,
                                          const HttpRequest& request) override {
    {
      const std::lock_guard lock{mutex_};
      requests_.push_back(request);
    }
    return answer_(address, request);
  }

  [[nodiscard]] std::vector<HttpRequest> requests() const {
    const std::lock_guard lock{mutex_};
    return requests_;
  }

 private:
  Answer answer_;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
};

}  // namespace pgfiredrill::testing
