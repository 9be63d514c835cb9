#pragma once

/// pgbackrest.conf with the files that it includes: which repositories and stanzas there are.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"

namespace pgfiredrill {

struct PgbackrestConf {
  /// [section][option] → value. Options whose values are or may hold secrets (keys, passphrases, tokens,
  /// accounts, a password in a recovery option) are kept as "***". The values of an option that may stand
  /// several times (recovery-option, link-map, …) are joined by line breaks; of any other the last counts,
  /// where pgBackRest itself would refuse the file. Old names without a number ("repo-path") are kept as
  /// those of repository 1.
  std::map<std::string, std::map<std::string, std::string>> sections;

  [[nodiscard]] std::vector<int> repository_keys() const;  ///< of repoN-… in any section, ascending
  [[nodiscard]] std::vector<std::string> stanzas() const;  ///< each once, also where only [stanza:command] is
  [[nodiscard]] std::string global(const std::string& option) const;  ///< empty where not set
  /// What [stanza] says, else [global]; empty where neither does.
  [[nodiscard]] std::string option(const std::string& stanza, const std::string& name) const;
};

/// `files`: (path for messages, text), pgbackrest.conf first, then conf.d in name order; later files add to
/// earlier ones. Only `#` at a line's start begins a comment. Fails `malformed` with file and line number,
/// never the line.
[[nodiscard]] Result<PgbackrestConf> parse_pgbackrest_conf(
    const std::vector<std::pair<std::string, std::string>>& files);

/// `s3://BUCKET/PATH at ENDPOINT` (also gcs, azure), `posix PATH` (also cifs, sftp), `posix PATH on HOST`
/// where the repository is another host's; nothing secret.
[[nodiscard]] std::string repository_location(const PgbackrestConf& conf, const std::string& stanza, int key);
/// "posix" where the type is not set, as pgBackRest does it.
[[nodiscard]] std::string repository_type(const PgbackrestConf& conf, const std::string& stanza, int key);

}  // namespace pgfiredrill
