#include "cluster/http_answer.h"

#include "base/text.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kExcerpt = 160;

Failure malformed(const std::string& came_back, const HttpQuestion& question) {
  return {.kind = FailureKind::malformed,
          .what = question.what,
          .where = question.where,
          .came_back = came_back,
          .hint = question.not_it};
}

bool looks_like_html(std::string_view body) {
  return trim(body.substr(0, kExcerpt)).starts_with('<');
}

bool looks_like_json(std::string_view body) {
  const auto start = trim(body.substr(0, kExcerpt));
  return start.starts_with('{') || start.starts_with('[');
}

/// A few words of a body; of an HTML page only that it is one.
std::string excerpt(const std::string& body) {
  if (looks_like_html(body)) return "an HTML page";
  return one_line(body, kExcerpt);
}

/// Go's servers answer plain HTTP on a TLS port in plain HTTP, with this sentence.
bool wants_tls(const HttpResponse& response) {
  return response.status == 400 && response.body.find("HTTP request to an HTTPS server") != std::string::npos;
}

}  // namespace

Failure asked(Failure failure, const HttpQuestion& question) {
  failure.what = question.what;
  failure.where = question.where;
  if (failure.hint.empty()) failure.hint = question.not_it;
  return failure;
}

Failure wrong_status(const HttpResponse& response, const HttpQuestion& question) {
  Failure failure{.kind = FailureKind::failed,
                  .what = question.what,
                  .where = question.where,
                  .came_back = "HTTP status " + std::to_string(response.status),
                  .hint = {}};
  const std::string said = excerpt(response.body);
  if (!said.empty()) failure.came_back += " (" + said + ")";
  if (response.status == 401 || response.status == 403) {
    failure.kind = FailureKind::denied;
    failure.hint = "It wants credentials or a client certificate that it was not given.";
  } else if (wants_tls(response)) {
    failure.hint = "This port speaks HTTPS: give the address as https://.";
  } else if (response.status == 404 || looks_like_html(response.body)) {
    failure.hint = question.not_it;
  }
  return failure;
}

Failure not_json(const std::string& body, const HttpQuestion& question) {
  if (trim(std::string_view{body}.substr(0, kExcerpt)).empty()) return malformed("an empty answer", question);
  if (looks_like_html(body)) return malformed("an HTML page", question);
  if (!looks_like_json(body)) return malformed("'" + excerpt(body) + "'", question);
  return malformed(
      "JSON that is cut short, broken or nested beyond reason (" + std::to_string(body.size()) + " bytes)",
      question);
}

Failure wrong_shape(const std::string& complaint, const HttpQuestion& question) {
  return malformed("an answer of another shape: " + complaint, question);
}

}  // namespace pgfiredrill
