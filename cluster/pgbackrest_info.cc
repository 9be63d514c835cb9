#include "cluster/pgbackrest_info.h"

#include <algorithm>
#include <cstdint>

#include "cluster/json_value.h"

namespace pgfiredrill {
namespace {

/// pgBackRest's code for "could not be read"; the codes below it say what was found.
constexpr std::int64_t kStatusOther = 99;
constexpr int kMaximumRepositories = 256;  ///< pgBackRest's own limit
constexpr int kExitNotFound = 127;

Failure malformed_info(const std::string& where, const std::string& why) {
  return {
      .kind = FailureKind::malformed,
      .what = "read the answer of 'pgbackrest info'",
      .where = where,
      .came_back = why,
      .hint = "Run 'pgbackrest info --output=json' there as the postgres user and look at what it prints."};
}

std::string text(const JsonValue& value) {
  return value.text().value_or("");
}

/// 0 where it is none.
std::int64_t integer(const JsonValue& value) {
  return value.integer().value_or(0);
}

/// Which repository and which of its databases an archive or a backup belongs to.
struct Owner {
  std::int64_t repository = 0;
  std::int64_t database = 0;
};

/// Releases before several repositories name none: it is repository 1.
std::int64_t repository_key(const JsonValue& key) {
  return key.is_null() ? 1 : integer(key);
}

Owner owner_of(const JsonValue& item) {
  const JsonValue database = item.at("database");
  return {.repository = repository_key(database.at("repo-key")), .database = integer(database.at("id"))};
}

std::int64_t current_database(const JsonValue& stanza, std::int64_t repository) {
  std::int64_t highest = 0;
  for (const JsonValue& database : stanza.at("db").elements()) {
    if (repository_key(database.at("repo-key")) != repository) continue;
    highest = std::max(highest, integer(database.at("id")));
  }
  return highest;
}

void take_status(Repository& repository, const JsonValue& status) {
  repository.status = one_line(text(status.at("message")));
  repository.reachable = status.is_object() && integer(status.at("code")) != kStatusOther;
}

void take_archives(Repository& repository, const JsonValue& stanza, std::int64_t database) {
  for (const JsonValue& archive : stanza.at("archive").elements()) {
    const Owner owner = owner_of(archive);
    if (owner.repository != repository.key || owner.database != database) continue;
    repository.archive_min = text(archive.at("min"));
    repository.archive_max = text(archive.at("max"));
  }
}

Backup backup_of(const JsonValue& item) {
  const JsonValue info = item.at("info");
  const JsonValue in_repository = info.at("repository");
  const JsonValue whole = in_repository.at("size");
  return {.label = text(item.at("label")),
          .type = text(item.at("type")),
          .stopped_at = std::chrono::seconds{integer(item.at("timestamp").at("stop"))},
          .repository_bytes = integer(whole.is_null() ? in_repository.at("delta") : whole),
          .database_bytes = integer(info.at("size"))};
}

void keep_later(std::optional<Backup>& latest, const Backup& backup) {
  if (!latest || backup.stopped_at >= latest->stopped_at) latest = backup;
}

void take_backups(Repository& repository, const JsonValue& stanza, std::int64_t database) {
  for (const JsonValue& item : stanza.at("backup").elements()) {
    const Owner owner = owner_of(item);
    if (owner.repository != repository.key || owner.database != database) continue;
    const Backup backup = backup_of(item);
    ++repository.backups;
    keep_later(repository.last_backup, backup);
    if (backup.type == "full") keep_later(repository.last_full, backup);
  }
}

Repository repository_of(const JsonValue& stanza, const std::string& name, std::int64_t key,
                         const JsonValue& status) {
  Repository repository;
  repository.key = static_cast<int>(key);
  repository.stanza = name;
  take_status(repository, status);
  const std::int64_t database = current_database(stanza, key);
  take_archives(repository, stanza, database);
  take_backups(repository, stanza, database);
  return repository;
}

Result<std::vector<Repository>> repositories_of(const JsonValue& stanza, const std::string& name,
                                                const std::string& where) {
  const JsonValue listed = stanza.at("repo");
  if (listed.is_null()) return std::vector{repository_of(stanza, name, 1, stanza.at("status"))};
  if (!listed.is_array()) return malformed_info(where, "'repo' is no list of repositories");
  std::vector<Repository> repositories;
  for (const JsonValue& item : listed.elements()) {
    const std::int64_t key = integer(item.at("key"));
    if (key < 1 || key > kMaximumRepositories) return malformed_info(where, "a repository has no key");
    // Each one walks all backups.
    if (std::ssize(repositories) == kMaximumRepositories) {
      return malformed_info(where, "it has more repositories than pgBackRest");
    }
    repositories.push_back(repository_of(stanza, name, key, item.at("status")));
  }
  return repositories;
}

Failure info_failure(const Host& host, const RemoteResult& result) {
  const bool missing = result.exit_status == kExitNotFound;
  const std::string said = one_line(result.err.empty() ? result.out : result.err);
  return {
      .kind = missing ? FailureKind::missing : FailureKind::failed,
      .what = "ask pgBackRest what its repositories hold",
      .where = host.name(),
      .came_back = "exit status " + std::to_string(result.exit_status) + (said.empty() ? "" : ": " + said),
      .hint = missing ? "Install pgBackRest there, or leave backups out."
                      : "Run 'pgbackrest info' there as the postgres user."};
}

}  // namespace

Result<std::vector<Repository>> parse_pgbackrest_info(const std::string& json, const std::string& stanza,
                                                      const std::string& where) {
  const auto answer = JsonValue::parse(json);
  if (!answer) return malformed_info(where, "it is not JSON");
  if (!answer->is_array()) return malformed_info(where, "it is not a list of stanzas");
  for (const JsonValue& item : answer->elements()) {
    if (!item.is_object()) return malformed_info(where, "a stanza is not an object");
    if (text(item.at("name")) == stanza) return repositories_of(item, stanza, where);
  }
  return std::vector<Repository>{};
}

Result<std::vector<Repository>> read_pgbackrest_info(Host& host, const std::string& stanza,
                                                     std::chrono::milliseconds deadline) {
  // Log levels are given since the configuration may send messages to stdout, into the JSON.
  const RemoteCommand command{
      .argv = {"runuser", "-u", "postgres", "--", "pgbackrest", "--stanza=" + stanza, "--output=json",
               "--log-level-console=off", "--log-level-stderr=error", "info"},
      .input = {},
      .as_root = true,
      .deadline = deadline};
  const auto result = host.run(command);
  if (!result) return result.error();
  if (result->exit_status != 0) return info_failure(host, *result);
  return parse_pgbackrest_info(result->out, stanza, host.name());
}

}  // namespace pgfiredrill
