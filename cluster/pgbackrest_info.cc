#include "cluster/pgbackrest_info.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

namespace pgfiredrill {
namespace {

using Json = nlohmann::json;

/// pgBackRest's code for "could not be read"; the codes below it say what was found.
constexpr std::int64_t kStatusOther = 99;
constexpr int kExitNotFound = 127;

Failure malformed_info(const std::string& where, const std::string& why) {
  return {
      .kind = FailureKind::malformed,
      .what = "read the answer of 'pgbackrest info'",
      .where = where,
      .came_back = why,
      .hint = "Run 'pgbackrest info --output=json' there as the postgres user and look at what it prints."};
}

const Json& member(const Json& object, const char* name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

/// 0 where it is no integer or does not fit.
std::int64_t integer(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return number > std::uint64_t{std::numeric_limits<std::int64_t>::max()}
               ? 0
               : static_cast<std::int64_t>(number);
  }
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

std::string text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string{};
}

/// Which repository and which of its databases an archive or a backup belongs to.
struct Owner {
  std::int64_t repository = 0;
  std::int64_t database = 0;
};

/// Releases before several repositories name none: it is repository 1.
std::int64_t repository_key(const Json& key) {
  return key.is_null() ? 1 : integer(key);
}

Owner owner_of(const Json& item) {
  const Json& database = member(item, "database");
  return {.repository = repository_key(member(database, "repo-key")),
          .database = integer(member(database, "id"))};
}

std::int64_t current_database(const Json& stanza, std::int64_t repository) {
  std::int64_t highest = 0;
  for (const Json& database : member(stanza, "db")) {
    if (repository_key(member(database, "repo-key")) != repository) continue;
    highest = std::max(highest, integer(member(database, "id")));
  }
  return highest;
}

void take_status(Repository& repository, const Json& status) {
  repository.status = one_line(text(member(status, "message")));
  repository.reachable = status.is_object() && integer(member(status, "code")) != kStatusOther;
}

void take_archives(Repository& repository, const Json& stanza, std::int64_t database) {
  for (const Json& archive : member(stanza, "archive")) {
    const Owner owner = owner_of(archive);
    if (owner.repository != repository.key || owner.database != database) continue;
    repository.archive_min = text(member(archive, "min"));
    repository.archive_max = text(member(archive, "max"));
  }
}

Backup backup_of(const Json& item) {
  const Json& info = member(item, "info");
  const Json& in_repository = member(info, "repository");
  const Json& whole = member(in_repository, "size");
  return {.label = text(member(item, "label")),
          .type = text(member(item, "type")),
          .stopped_at = std::chrono::seconds{integer(member(member(item, "timestamp"), "stop"))},
          .repository_bytes = integer(whole.is_null() ? member(in_repository, "delta") : whole),
          .database_bytes = integer(member(info, "size"))};
}

void keep_later(std::optional<Backup>& latest, const Backup& backup) {
  if (!latest || backup.stopped_at >= latest->stopped_at) latest = backup;
}

void take_backups(Repository& repository, const Json& stanza, std::int64_t database) {
  for (const Json& item : member(stanza, "backup")) {
    const Owner owner = owner_of(item);
    if (owner.repository != repository.key || owner.database != database) continue;
    const Backup backup = backup_of(item);
    ++repository.backups;
    keep_later(repository.last_backup, backup);
    if (backup.type == "full") keep_later(repository.last_full, backup);
  }
}

Repository repository_of(const Json& stanza, const std::string& name, std::int64_t key, const Json& status) {
  Repository repository;
  repository.key = static_cast<int>(key);
  repository.stanza = name;
  take_status(repository, status);
  const std::int64_t database = current_database(stanza, key);
  take_archives(repository, stanza, database);
  take_backups(repository, stanza, database);
  return repository;
}

Result<std::vector<Repository>> repositories_of(const Json& stanza, const std::string& name,
                                                const std::string& where) {
  const Json& listed = member(stanza, "repo");
  if (listed.is_null()) return std::vector{repository_of(stanza, name, 1, member(stanza, "status"))};
  // pgBackRest has at most 256 repositories; each one here walks all backups.
  if (!listed.is_array() || listed.size() > 256)
    return malformed_info(where, "'repo' is no list of repositories");
  std::vector<Repository> repositories;
  for (const Json& item : listed) {
    const std::int64_t key = integer(member(item, "key"));
    if (key < 1 || key > 256) return malformed_info(where, "a repository has no key");
    repositories.push_back(repository_of(stanza, name, key, member(item, "status")));
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
  const Json answer = Json::parse(json, nullptr, false);
  if (answer.is_discarded()) return malformed_info(where, "it is not JSON");
  if (!answer.is_array()) return malformed_info(where, "it is not a list of stanzas");
  for (const Json& item : answer) {
    if (!item.is_object()) return malformed_info(where, "a stanza is not an object");
    if (text(member(item, "name")) == stanza) return repositories_of(item, stanza, where);
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
