#include "cluster/host_facts.h"

#include "base/text.h"

namespace pgfiredrill {
namespace {

/// POSIX sh. Prints frames: a line `@ KIND SIZE NAME`, SIZE bytes, a newline; at last `@ end 0 -`. A file is
/// opened once and its size asked of the open descriptor, so that one that is replaced meanwhile (as confd
/// does) stays whole.
constexpr const char* kScript = R"sh(
LC_ALL=C; export LC_ALL
file() {
  [ -f "$1" ] || return 0
  if [ ! -r "$1" ]; then
    printf '@ unreadable 0 %s\n\n' "$1"; return 0
  fi
  exec 3<"$1"
  size=$(stat -L -c %s /dev/fd/3)
  if [ "$size" -gt 1048576 ]; then
    printf '@ too_large 0 %s\n\n' "$1"
  else
    printf '@ file %s %s\n' "$size" "$1"; head -c "$size" <&3; printf '\n'
  fi
  exec 3<&-
}
text() { printf '@ %s %s %s\n%s\n' "$1" "${#3}" "$2" "$3"; }
program() {
  command -v "$2" >/dev/null 2>&1 || return 0
  name=$1; shift
  text version "$name" "$("$@" 2>&1 </dev/null | head -n 1)"
}
if [ "$1" = facts ]; then
  for f in /etc/patroni/patroni.yml /etc/patroni/vip-manager.yml /etc/pgbouncer/*.ini /etc/haproxy/haproxy.cfg \
           /etc/keepalived/keepalived.conf /etc/pgbackrest/pgbackrest.conf /etc/pgbackrest/conf.d/*.conf \
           /etc/pgbackrest.conf /etc/etcd/etcd.conf; do file "$f"; done
  text addresses - "$(ip -o addr show 2>/dev/null | while read -r n i f a r; do printf '%s\n' "${a%%/*}"; done)"
  text units - "$(systemctl list-units --all --no-legend --plain --type=service 'patroni*' 'pgbouncer*' haproxy.service \
    confd.service keepalived.service vip-manager.service etcd.service consul.service 2>/dev/null |
    while read -r u l a s r; do [ "$l" = not-found ] || printf '%s %s\n' "$u" "$a"; done)"
  program haproxy haproxy -v
  program keepalived keepalived --version
  program pgbackrest pgbackrest version
else
  shift
  for f in "$@"; do file "$f"; done
fi
printf '@ end 0 -\n\n'
)sh";

constexpr const char* kHint = "Does something print text at login there (a shell's start file)?";

/// Reads frames one after the other.
class FrameReader {
 public:
  struct Frame {
    std::string kind;
    std::string name;
    std::string content;
  };

  explicit FrameReader(std::string_view output) : rest_{output} {}

  /// False where the output does not go on with a whole frame.
  bool next(Frame& frame) {
    if (!rest_.starts_with("@ ")) return false;
    const auto end_of_line = rest_.find('\n');
    if (end_of_line == std::string_view::npos) return false;
    std::string_view head = rest_.substr(2, end_of_line - 2);
    rest_.remove_prefix(end_of_line + 1);

    frame.kind = cut_word(head);
    const auto size = parse_integer(cut_word(head));
    frame.name = head;
    if (!size || *size < 0 || static_cast<std::size_t>(*size) >= rest_.size()) return false;
    frame.content = rest_.substr(0, static_cast<std::size_t>(*size));
    if (rest_[frame.content.size()] != '\n') return false;
    rest_.remove_prefix(frame.content.size() + 1);
    return true;
  }

 private:
  static std::string cut_word(std::string_view& text) {
    const auto end = std::min(text.find(' '), text.size());
    std::string word{text.substr(0, end)};
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
  }

  std::string_view rest_;
};

/// `keepalived --version` and `haproxy -v` wrap the number in words: the first word that begins with a digit,
/// or with "v" and a digit, is it.
std::string version_number(const std::string& line) {
  for (std::string word : words(line)) {
    if (word.size() > 1 && word[0] == 'v') word.erase(0, 1);
    if (!word.empty() && word[0] >= '0' && word[0] <= '9') return word.substr(0, word.find_first_of("-,+~("));
  }
  return {};
}

void take(FrameReader::Frame& frame, HostFacts& facts) {
  if (frame.kind == "file") {
    facts.files[frame.name] = std::move(frame.content);
  } else if (frame.kind == "unreadable") {
    facts.unreadable[frame.name] = "permission denied";
  } else if (frame.kind == "too_large") {
    facts.unreadable[frame.name] = "larger than 1 MiB";
  } else if (frame.kind == "addresses") {
    for (const auto line : lines(frame.content)) {
      if (!trim(line).empty()) facts.addresses.emplace_back(trim(line));
    }
  } else if (frame.kind == "units") {
    for (const auto line : lines(frame.content)) {
      const auto fields = words(line);
      if (fields.size() == 2) facts.units[fields[0].substr(0, fields[0].rfind(".service"))] = fields[1];
    }
  } else if (frame.kind == "version") {
    facts.versions[frame.name] = version_number(frame.content);
  }
}

Result<HostFacts> run_script(Host& host, std::vector<std::string> arguments,
                             std::chrono::milliseconds deadline) {
  RemoteCommand command{.argv = {"sh", "-s", "--"}, .input = kScript, .deadline = deadline};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  const auto result = host.run(command);
  if (!result) return result.error();
  return parse_host_facts(result->out, host.name());
}

}  // namespace

std::string HostFacts::file(const std::string& path) const {
  const auto found = files.find(path);
  return found == files.end() ? std::string{} : found->second;
}

std::vector<std::string> HostFacts::paths(const std::string& prefix, const std::string& suffix) const {
  std::vector<std::string> found;
  for (const auto& [path, text] : files) {
    if (path.starts_with(prefix) && path.ends_with(suffix)) found.push_back(path);
  }
  return found;
}

Result<HostFacts> read_host_facts(Host& host, std::chrono::milliseconds deadline) {
  return run_script(host, {"facts"}, deadline);
}

Result<HostFacts> read_host_files(Host& host, const std::vector<std::string>& paths,
                                  std::chrono::milliseconds deadline) {
  std::vector<std::string> arguments{"files"};
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  return run_script(host, std::move(arguments), deadline);
}

Result<HostFacts> parse_host_facts(const std::string& output, const std::string& where) {
  HostFacts facts;
  FrameReader reader{output};
  FrameReader::Frame frame;
  while (reader.next(frame)) {
    if (frame.kind == "end") return facts;
    take(frame, facts);
  }
  return Failure{
      .kind = FailureKind::malformed,
      .what = "read what is deployed",
      .where = where,
      .came_back = output.empty() ? "nothing" : "an answer that is not the script's, or only half of it",
      .hint = kHint};
}

}  // namespace pgfiredrill
