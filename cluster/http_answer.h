#pragma once

/// What the HTTP clients of this room have in common: failures that name the component and not only a path.

#include <string>

#include "base/failure.h"
#include "base/http.h"

namespace pgfiredrill {

/// A request in the words of messages.
struct HttpQuestion {
  std::string what;    ///< "ask Patroni for /cluster"
  std::string where;   ///< the node, as the caller names it
  std::string not_it;  ///< hint where something else seems to listen there: "Is this Patroni's REST port …?"
};

/// The HttpClient's failure with the question's words; its kind, what came back and its hint stay.
[[nodiscard]] Failure asked(Failure failure, const HttpQuestion& question);

/// An HTTP status that is not the one due: `denied` for 401 and 403, else `failed`.
[[nodiscard]] Failure wrong_status(const HttpResponse& response, const HttpQuestion& question);

/// A body that is no JSON document: says what it looks like instead.
[[nodiscard]] Failure not_json(const std::string& body, const HttpQuestion& question);

/// JSON, or CSV, of another shape.
[[nodiscard]] Failure wrong_shape(const std::string& complaint, const HttpQuestion& question);

}  // namespace pgfiredrill
