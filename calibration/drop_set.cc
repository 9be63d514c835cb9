#include "calibration/drop_set.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

namespace pgfiredrill {
namespace {

constexpr std::size_t kAlignment = 4;

/// A message of netlink under construction: lengths are filled in when what they count has ended.
class NetlinkBytes {
 public:
  template <typename Plain>
  void append(const Plain& value) {
    append_bytes(&value, sizeof value);
  }
  void append_bytes(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const char*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
    bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
  }

  std::size_t begin_message(std::uint16_t type, std::uint16_t flags, std::uint32_t sequence,
                            std::uint8_t family, std::uint16_t resource) {
    const std::size_t at = bytes_.size();
    append(nlmsghdr{.nlmsg_len = 0, .nlmsg_type = type, .nlmsg_flags = flags, .nlmsg_seq = sequence});
    append(nfgenmsg{.nfgen_family = family, .version = NFNETLINK_V0, .res_id = htons(resource)});
    return at;
  }
  void end_message(std::size_t at) { put_length(at, static_cast<std::uint32_t>(bytes_.size() - at)); }

  void text(std::uint16_t type, const std::string& value) { leaf(type, value.c_str(), value.size() + 1); }
  void leaf(std::uint16_t type, const void* data, std::size_t size) {
    append(nlattr{.nla_len = static_cast<std::uint16_t>(sizeof(nlattr) + size), .nla_type = type});
    append_bytes(data, size);
  }
  std::size_t begin_nest(std::uint16_t type) {
    const std::size_t at = bytes_.size();
    append(nlattr{.nla_len = 0, .nla_type = static_cast<std::uint16_t>(type | NLA_F_NESTED)});
    return at;
  }
  void end_nest(std::size_t at) { put_length(at, static_cast<std::uint16_t>(bytes_.size() - at)); }

  [[nodiscard]] const std::vector<char>& bytes() const noexcept { return bytes_; }

 private:
  template <typename Number>
  void put_length(std::size_t at, Number length) {
    std::memcpy(bytes_.data() + at, &length, sizeof length);
  }
  std::vector<char> bytes_;
};

Failure failure_of(int error, const std::string& what) {
  return {.kind = error == EPERM || error == EACCES ? FailureKind::denied : FailureKind::failed,
          .what = what,
          .came_back = std::strerror(error)};
}

/// Changes of nftables come in batches, each a transaction.
std::vector<char> batch_of(int message, std::uint32_t sequence, const std::string& table,
                           const std::string& set, std::uint16_t port) {
  NetlinkBytes bytes;
  bytes.end_message(
      bytes.begin_message(NFNL_MSG_BATCH_BEGIN, NLM_F_REQUEST, sequence, AF_UNSPEC, NFNL_SUBSYS_NFTABLES));
  const auto type = static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | message);
  const std::size_t change =
      bytes.begin_message(type, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK, sequence, NFPROTO_INET, 0);
  bytes.text(NFTA_SET_ELEM_LIST_TABLE, table);
  bytes.text(NFTA_SET_ELEM_LIST_SET, set);
  const std::size_t elements = bytes.begin_nest(NFTA_SET_ELEM_LIST_ELEMENTS);
  const std::size_t element = bytes.begin_nest(NFTA_LIST_ELEM);
  const std::size_t key = bytes.begin_nest(NFTA_SET_ELEM_KEY);
  const std::uint16_t wire_port = htons(port);
  bytes.leaf(NFTA_DATA_VALUE, &wire_port, sizeof wire_port);
  bytes.end_nest(key);
  bytes.end_nest(element);
  bytes.end_nest(elements);
  bytes.end_message(change);
  bytes.end_message(
      bytes.begin_message(NFNL_MSG_BATCH_END, NLM_F_REQUEST, sequence, AF_UNSPEC, NFNL_SUBSYS_NFTABLES));
  return bytes.bytes();
}

}  // namespace

DropSet::DropSet(Descriptor socket, std::string table, std::string set)
    : socket_{std::move(socket)}, table_{std::move(table)}, set_{std::move(set)} {}

Result<DropSet> DropSet::open(std::string table, std::string set) {
  Descriptor socket{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER)};
  if (!socket.open()) return failure_of(errno, "reach the kernel's packet filter");
  return DropSet{std::move(socket), std::move(table), std::move(set)};
}

Result<void> DropSet::add(std::uint16_t port) {
  return change(NFT_MSG_NEWSETELEM, port);
}

Result<void> DropSet::remove(std::uint16_t port) {
  return change(NFT_MSG_DELSETELEM, port);
}

Result<void> DropSet::change(int message, std::uint16_t port) {
  const auto batch = batch_of(message, ++sequence_, table_, set_, port);
  const std::string what = "change the set " + set_ + " of the table " + table_;
  if (::send(socket_.get(), batch.data(), batch.size(), 0) < 0) return failure_of(errno, what);
  if (const int error = receive_verdict(); error != 0) return failure_of(error, what);
  return {};
}

/// The kernel has answered by the time that it was sent to: 0, or an error number.
int DropSet::receive_verdict() const {
  std::array<char, 4096> answer;
  const ssize_t size = ::recv(socket_.get(), answer.data(), answer.size(), MSG_DONTWAIT);
  if (size < 0) return errno;
  nlmsghdr head{};
  nlmsgerr verdict{};
  if (static_cast<std::size_t>(size) < sizeof head + sizeof verdict.error) return EPROTO;
  std::memcpy(&head, answer.data(), sizeof head);
  std::memcpy(&verdict.error, answer.data() + sizeof head, sizeof verdict.error);
  return head.nlmsg_type == NLMSG_ERROR ? -verdict.error : EPROTO;
}

}  // namespace pgfiredrill
