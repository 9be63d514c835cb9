#include "cluster/config/keepalived_conf.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/text.h"
#include "cluster/config/config_text.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kMaximumRemarks = 20;

/// Words of one line and the braces between them; `open` and `close` stand for themselves.
struct Token {
  enum class Kind : unsigned char { word, open, close };
  Kind kind = Kind::word;
  std::string text;
};

/// Tokens of a line up to a comment (`!` or `#`, anywhere outside quotes); braces need no blanks around
/// them. Absent where a quote stays open.
class LineSplitter {
 public:
  explicit LineSplitter(std::string_view line) : line_{line} {}

  std::optional<std::vector<Token>> split() {
    for (at_ = 0; at_ < line_.size(); ++at_) {
      const char c = line_[at_];
      const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : '\0';
      if (c == '\\' && next != '\0') {
        append(next);
        ++at_;
      } else if (c == '"') {
        quoted_ = !quoted_;
        in_word_ = true;
      } else if (quoted_) {
        append(c);
      } else if (c == '!' || c == '#') {
        break;
      } else if (c == '$' && next == '{') {
        take_reference();
      } else if (c == '{' || c == '}') {
        finish_word();
        tokens_.push_back({.kind = c == '{' ? Token::Kind::open : Token::Kind::close, .text = {}});
      } else if (c == ' ' || c == '\t') {
        finish_word();
      } else {
        append(c);
      }
    }
    if (quoted_) return std::nullopt;
    finish_word();
    return std::move(tokens_);
  }

 private:
  void append(char c) {
    word_ += c;
    in_word_ = true;
  }

  /// `${NAME}`: these braces open no block.
  void take_reference() {
    const auto end = std::min(line_.find('}', at_), line_.size() - 1);
    for (; at_ < end; ++at_) append(line_[at_]);
    append(line_[end]);
  }

  void finish_word() {
    if (!in_word_) return;
    tokens_.push_back({.kind = Token::Kind::word, .text = std::move(word_)});
    word_.clear();
    in_word_ = false;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  bool quoted_ = false;
  bool in_word_ = false;
  std::string word_;
  std::vector<Token> tokens_;
};

/// Seconds with a fraction ("0.5"), exact to the millisecond.
std::optional<std::chrono::milliseconds> seconds_of(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = parse_integer(text.substr(0, point));
  if (!whole || *whole < 0 || *whole > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  std::string fraction{point == std::string_view::npos ? "" : text.substr(point + 1)};
  if (fraction.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  fraction.resize(3, '0');
  return std::chrono::milliseconds{*whole * 1'000 + parse_integer(fraction).value_or(0)};
}

std::optional<int> count_of(std::string_view text) {
  const auto number = parse_integer(text);
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*number);
}

std::string without_prefix_length(const std::string& address) {
  return address.substr(0, address.find('/'));
}

enum class Block : unsigned char { other, instance, addresses, scripts };

struct OpenBlock {
  Block kind;
  std::size_t line;
};

class KeepalivedReader {
 public:
  explicit KeepalivedReader(const ConfigFile& file) : file_{file} {}

  Result<KeepalivedConf> read(const std::string& text) {
    for (const std::string_view line : lines(text)) {
      ++line_;
      const auto tokens = LineSplitter{line}.split();
      if (!tokens) return malformed_line(file_, line_, "has a quote that is not closed");
      if (tokens->empty() || passes_over(tokens->front())) continue;
      if (!read_line(*tokens)) return malformed_line(file_, line_, "closes a block that is not open");
    }
    finish_statement();
    if (!blocks_.empty()) {
      return malformed_line(file_, blocks_.back().line, "opens a block that is not closed");
    }
    return std::move(conf_);
  }

 private:
  bool passes_over(const Token& first) {
    if (first.text.starts_with('@')) remark("depends on keepalived's configuration id and is left out");
    if (first.text.starts_with('$') && first.text.find('=') != std::string::npos) {
      remark("has a definition, which is not followed");
      return true;
    }
    return first.text.starts_with('@');
  }

  /// False where a brace closes nothing.
  bool read_line(const std::vector<Token>& tokens) {
    // A statement ends with its line, but its block may open on the next one.
    if (tokens.front().kind != Token::Kind::open) finish_statement();
    for (const Token& token : tokens) {
      if (token.kind == Token::Kind::word) {
        if (token.text.find('$') != std::string::npos) remark("uses a definition, which is not followed");
        statement_.push_back(token.text);
        statement_line_ = line_;
      } else if (token.kind == Token::Kind::open) {
        open_block();
      } else {
        finish_statement();
        if (blocks_.empty()) return false;
        blocks_.pop_back();
      }
    }
    return true;
  }

  Block current() const { return blocks_.empty() ? Block::other : blocks_.back().kind; }

  void open_block() {
    const std::string keyword = statement_.empty() ? "" : statement_.front();
    Block kind = Block::other;
    if (blocks_.empty() && keyword == "vrrp_instance") {
      kind = Block::instance;
      conf_.instances.emplace_back();
      if (statement_.size() > 1) conf_.instances.back().name = statement_[1];
    } else if (current() == Block::instance) {
      if (keyword == "virtual_ipaddress" || keyword == "virtual_ipaddress_excluded") kind = Block::addresses;
      if (keyword == "track_script") kind = Block::scripts;
    }
    blocks_.push_back({.kind = kind, .line = statement_.empty() ? line_ : statement_line_});
    statement_.clear();
  }

  void finish_statement() {
    if (statement_.empty()) return;
    const std::string& first = statement_.front();
    switch (current()) {
      case Block::instance:
        read_instance_setting(first, statement_.size() > 1 ? statement_[1] : std::string{});
        break;
      case Block::addresses:
        conf_.instances.back().addresses.push_back(without_prefix_length(first));
        break;
      case Block::scripts:
        conf_.instances.back().track_scripts.push_back(first);
        break;
      case Block::other:
        break;
    }
    if (first.starts_with("include")) remark_on(statement_line_, "includes other files, which are not read");
    statement_.clear();
  }

  void read_instance_setting(const std::string& name, const std::string& value) {
    VrrpInstance& instance = conf_.instances.back();
    if (name == "interface") instance.interface = value;
    if (name == "state") instance.state = value;
    if (name == "virtual_router_id") instance.router_id = count_of(value);
    if (name == "priority") instance.priority = count_of(value);
    if (name == "advert_int") instance.advert_interval = seconds_of(value);
  }

  void remark(const std::string& clause) { remark_on(line_, clause); }

  void remark_on(std::size_t line, const std::string& clause) {
    if (conf_.remarks.size() >= kMaximumRemarks) return;
    conf_.remarks.push_back(file_.where + ": line " + std::to_string(line) + " " + clause + ".");
  }

  ConfigFile file_;
  std::size_t line_ = 0;
  std::vector<std::string> statement_;
  std::size_t statement_line_ = 0;
  std::vector<OpenBlock> blocks_;
  KeepalivedConf conf_;
};

}  // namespace

Result<KeepalivedConf> parse_keepalived_conf(const std::string& text, const std::string& where) {
  const ConfigFile file{.name = "keepalived's configuration",
                        .where = where,
                        .hint = "Let 'keepalived --config-test' check the file there."};
  if (const auto refusal = refuse_unreadable(file, text)) return *refusal;
  return KeepalivedReader{file}.read(text);
}

}  // namespace pgfiredrill
