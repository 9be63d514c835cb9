#include "cluster/etcd_client.h"

#include <algorithm>
#include <utility>

#include <openssl/evp.h>

#include "base/text.h"
#include "cluster/http_answer.h"
#include "cluster/json_fields.h"
#include "cluster/json_value.h"

namespace pgfiredrill {
namespace {

constexpr const char* kStatusPath = "/v3/maintenance/status";
constexpr const char* kMembersPath = "/v3/cluster/member/list";
constexpr const char* kRangePath = "/v3/kv/range";
constexpr int kMostKeys = 1'000;

HttpQuestion question(const std::string& path, const std::string& where) {
  return {.what = "ask etcd for " + path,
          .where = where,
          .not_it = "Is this etcd's client port (usually 2379), and etcd 3.4 or later?"};
}

std::string to_base64(const std::string& bytes) {
  // EVP_EncodeBlock writes a terminating zero after the text.
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::optional<std::string> from_base64(const std::string& text) {
  if (text.empty()) return std::string{};
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  const int length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (length < 0) return std::nullopt;
  // EVP_DecodeBlock counts the padding as bytes.
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(length) - padding);
  return bytes;
}

/// The first key behind every key that begins with `prefix`; etcd's own "\0" where there is none.
std::string range_end(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return std::string(1, '\0');
  ++prefix.back();
  return prefix;
}

std::string range_request(const std::string& prefix) {
  const std::string from = prefix.empty() ? std::string(1, '\0') : prefix;
  return R"({"key":")" + to_base64(from) + R"(","range_end":")" + to_base64(range_end(prefix)) +
         R"(","limit":")" + std::to_string(kMostKeys) + R"("})";
}

std::string decoded(const JsonFields& fields, const std::string& key) {
  auto bytes = from_base64(fields.text(key));
  if (!bytes) fields.complain(key, "no base64");
  return std::move(bytes).value_or("");
}

EtcdMember read_member(const JsonFields& fields) {
  EtcdMember member;
  member.id = fields.required_text("ID");
  member.name = fields.text("name");  // a member that was added and never started has none
  member.client_urls = fields.texts("clientURLs");
  member.peer_urls = fields.texts("peerURLs");
  member.learner = fields.boolean("isLearner").value_or(false);
  return member;
}

EtcdKeyValue read_key_value(const JsonFields& fields) {
  EtcdKeyValue pair;
  pair.key = decoded(fields, "key");
  pair.value = decoded(fields, "value");
  pair.mod_revision = fields.integer("mod_revision", 0).value_or(0);
  pair.lease = fields.integer("lease").value_or(0);
  return pair;
}

/// Reads the list `key` of a document; what etcd's gateway leaves out is empty.
template <typename T, typename Read>
Result<std::vector<T>> read_list(const std::string& body, const std::string& key, Read read,
                                 const HttpQuestion& asked_for) {
  const auto document = JsonValue::parse(body);
  if (!document) return not_json(body, asked_for);
  std::string complaint;
  const JsonFields fields{*document, "", complaint};
  // Every answer of etcd's has a header; without one this is somebody else's JSON.
  if (!fields.value().at("header").is_object()) fields.complain("header", "not there");
  std::vector<T> result;
  for (const JsonValue& element : fields.array(key)) {
    result.push_back(read(JsonFields{element, key + "[" + std::to_string(result.size()) + "]", complaint}));
  }
  if (!complaint.empty()) return wrong_shape(complaint, asked_for);
  return result;
}

/// etcd with client-cert-auth lets the handshake succeed and then hangs up on whoever showed no certificate.
Failure unanswered(Failure failure, const HttpAddress& address, const TlsIdentity& identity,
                   const HttpQuestion& asked_for) {
  const bool hung_up = failure.kind == FailureKind::malformed && failure.hint.empty();
  if (hung_up && address.tls && identity.certificate_pem.empty()) {
    failure.hint = "etcd may demand a client certificate (ETCD_CLIENT_CERT_AUTH), and none was given.";
  }
  return asked(std::move(failure), asked_for);
}

HttpRequest post(const char* path, std::string body) {
  HttpRequest request;
  request.method = "POST";
  request.path = path;
  request.body = std::move(body);
  return request;
}

}  // namespace

Result<EtcdStatus> parse_etcd_status(const std::string& body, const std::string& where) {
  const HttpQuestion asked_for = question(kStatusPath, where);
  const auto document = JsonValue::parse(body);
  if (!document) return not_json(body, asked_for);

  std::string complaint;
  const JsonFields fields{*document, "", complaint};
  EtcdStatus status;
  status.version = fields.required_text("version");
  status.member_id = fields.object("header").required_text("member_id");
  status.leader_id = fields.text("leader");
  status.database_bytes = fields.integer("dbSize", 0).value_or(0);
  status.raft_term = fields.integer("raftTerm", 0).value_or(0);
  status.errors = fields.texts("errors");
  if (!complaint.empty()) return wrong_shape(complaint, asked_for);
  return status;
}

Result<std::vector<EtcdMember>> parse_etcd_members(const std::string& body, const std::string& where) {
  const HttpQuestion asked_for = question(kMembersPath, where);
  auto members = read_list<EtcdMember>(body, "members", read_member, asked_for);
  if (members && members->empty()) return wrong_shape("members is not there", asked_for);
  return members;
}

Result<std::vector<EtcdKeyValue>> parse_etcd_range(const std::string& body, const std::string& where) {
  return read_list<EtcdKeyValue>(body, "kvs", read_key_value, question(kRangePath, where));
}

EtcdClient::EtcdClient(HttpClient& http, HttpAddress address, TlsIdentity identity, std::string where)
    : http_{http}, address_{std::move(address)}, identity_{std::move(identity)}, where_{std::move(where)} {}

Result<std::string> EtcdClient::send(HttpRequest request) const {
  const HttpQuestion asked_for = question(request.path, where_);
  auto response = http_.send(address_, identity_, request);
  if (!response) return unanswered(response.error(), address_, identity_, asked_for);
  if (response->status != 200) return wrong_status(*response, asked_for);
  return std::move(response->body);
}

Result<bool> EtcdClient::healthy() const {
  HttpRequest request;
  request.path = "/health";
  const HttpQuestion asked_for = question(request.path, where_);
  const auto response = http_.send(address_, identity_, request);
  if (!response) return unanswered(response.error(), address_, identity_, asked_for);
  // An unhealthy member says so with status 503 and the same document.
  const auto document = JsonValue::parse(response->body);
  const auto health = document ? document->at("health").boolean() : std::nullopt;
  if (health) return *health;
  if (response->status != 200) return wrong_status(*response, asked_for);
  if (!document) return not_json(response->body, asked_for);
  return wrong_shape("health is not there", asked_for);
}

Result<EtcdStatus> EtcdClient::status() const {
  const auto body = send(post(kStatusPath, "{}"));
  if (!body) return body.error();
  return parse_etcd_status(*body, where_);
}

Result<std::vector<EtcdMember>> EtcdClient::members() const {
  const auto body = send(post(kMembersPath, "{}"));
  if (!body) return body.error();
  return parse_etcd_members(*body, where_);
}

Result<std::vector<EtcdKeyValue>> EtcdClient::range(const std::string& prefix) const {
  const auto body = send(post(kRangePath, range_request(prefix)));
  if (!body) return body.error();
  return parse_etcd_range(*body, where_);
}

}  // namespace pgfiredrill
