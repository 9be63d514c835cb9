#include "cluster/haproxy_stats.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cluster/http_answer.h"

namespace pgfiredrill {
namespace {

/// HAProxy's own default where the configuration has `stats enable` and no `stats uri`.
constexpr const char* kDefaultUri = "/haproxy?stats";

using CsvRow = std::vector<std::string>;

HttpQuestion question(const std::string& where) {
  return {
      .what = "read HAProxy's statistics",
      .where = where,
      .not_it = "Is this the statistics listener of haproxy.cfg, and is its `stats uri` the one asked for?"};
}

/// Splits CSV into rows, as RFC 4180 has it: a quoted field may hold commas, line ends and doubled quotes.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_{text} {}

  /// False where the text ends inside a row.
  bool read(std::vector<CsvRow>& rows) {
    while (at_ < text_.size()) {
      if (skip_empty_line()) continue;
      if (!read_row(rows)) return false;
    }
    return true;
  }

 private:
  bool skip_empty_line() {
    if (text_[at_] != '\n' && text_[at_] != '\r') return false;
    ++at_;
    return true;
  }

  bool read_row(std::vector<CsvRow>& rows) {
    CsvRow row;
    while (true) {
      std::string field;
      if (!read_field(field)) return false;
      row.push_back(std::move(field));
      if (text_[at_++] == '\n') break;
    }
    rows.push_back(std::move(row));
    return true;
  }

  /// Leaves `at_` on the comma or line end behind the field; false where there is none.
  bool read_field(std::string& field) {
    bool quoted = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        if (quoted && at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
          field += c;
          ++at_;
        } else {
          quoted = !quoted;
        }
      } else if (!quoted && (c == ',' || c == '\n')) {
        if (c == '\n' && field.ends_with('\r')) field.pop_back();
        return true;
      } else {
        field += c;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Where each column is that we want.
class Columns {
 public:
  explicit Columns(const CsvRow& header) : header_{header} {}

  [[nodiscard]] std::string text(const CsvRow& row, const char* name) const {
    const auto index = find(name);
    return index < row.size() ? row[index] : std::string{};
  }
  [[nodiscard]] std::optional<std::int64_t> integer(const CsvRow& row, const char* name) const {
    return parse_integer(text(row, name));
  }
  [[nodiscard]] bool has(const char* name) const { return find(name) < header_.size(); }

 private:
  [[nodiscard]] std::size_t find(const char* name) const {
    return static_cast<std::size_t>(std::find(header_.begin(), header_.end(), name) - header_.begin());
  }

  const CsvRow& header_;
};

std::string without_mark(std::string check_status) {
  if (check_status.starts_with("* ")) check_status.erase(0, 2);
  return check_status;
}

HaproxyStatsRow read_row(const Columns& columns, const CsvRow& row) {
  HaproxyStatsRow result;
  result.proxy = columns.text(row, "pxname");
  result.server = columns.text(row, "svname");
  result.status = columns.text(row, "status");
  result.check_status = without_mark(columns.text(row, "check_status"));
  result.check_code = columns.text(row, "check_code");
  result.last_check = columns.text(row, "last_chk");
  result.address = columns.text(row, "addr");
  result.seconds_since_change = columns.integer(row, "lastchg");
  result.current_sessions = columns.integer(row, "scur");
  result.queued = columns.integer(row, "qcur");
  result.failed_checks = columns.integer(row, "chkfail");
  result.times_down = columns.integer(row, "chkdown");
  return result;
}

/// The address goes into the request's first line: nothing in it may end that line.
bool is_sound_uri(const std::string& uri) {
  return uri.starts_with('/') &&
         std::all_of(uri.begin(), uri.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

Result<std::vector<HaproxyStatsRow>> parse_haproxy_stats(const std::string& csv, const std::string& where) {
  if (!csv.starts_with("# ")) {
    return wrong_shape(trim(csv).starts_with('<') ? "an HTML page" : "no header line of statistics in CSV",
                       question(where));
  }
  std::vector<CsvRow> rows;
  if (!CsvReader{std::string_view{csv}.substr(2)}.read(rows)) {
    return wrong_shape("it ends in the middle of a line", question(where));
  }
  if (rows.empty()) return wrong_shape("no header line", question(where));
  const Columns columns{rows.front()};
  for (const char* name : {"pxname", "svname", "status"}) {
    if (!columns.has(name)) return wrong_shape(std::string{"no column "} + name, question(where));
  }
  std::vector<HaproxyStatsRow> result;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].size() != rows.front().size()) {
      return wrong_shape("row " + std::to_string(i) + " has " + std::to_string(rows[i].size()) + " of " +
                             std::to_string(rows.front().size()) + " columns",
                         question(where));
    }
    result.push_back(read_row(columns, rows[i]));
  }
  return result;
}

Result<std::vector<HaproxyStatsRow>> read_haproxy_stats(HttpClient& http, const HttpAddress& address,
                                                        const std::string& uri, const std::string& where) {
  HttpRequest request;
  request.path = (uri.empty() ? kDefaultUri : uri) + ";csv";
  if (!is_sound_uri(request.path)) {
    return Failure{.kind = FailureKind::malformed,
                   .what = "read HAProxy's statistics",
                   .where = where,
                   .came_back = "'" + one_line(uri, 60) + "' is no path",
                   .hint = "See `stats uri` in haproxy.cfg."};
  }
  const auto response = http.send(address, {}, request);
  if (!response) return asked(response.error(), question(where));
  if (response->status != 200) return wrong_status(*response, question(where));
  return parse_haproxy_stats(response->body, where);
}

}  // namespace pgfiredrill
