#include "fault-injectors/host_healing.h"

#include "fault-injectors/host_scripts.h"

namespace pgfiredrill::fault {
namespace {

/// The installed one where it is there: its caller may not be allowed more.
Result<Helper> find_helper(Host& host) {
  const Helper installed{false};
  if (installed.prepare(host)) return installed;
  const Helper laid{true};
  if (const auto ready = laid.prepare(host); !ready) return ready.error();
  return laid;
}

class HostHealer {
 public:
  HostHealer(Host& host, const Helper& helper, HostHealing& healing)
      : host_{host}, helper_{helper}, healing_{healing} {}

  void undo(const Helper::Pending& pending) {
    const std::string what = "undo " + pending.words;
    const auto reverted = helper_.call(host_, what, {"revert", pending.id});
    if (!reverted) return left(pending, reverted.error().message());
    const auto state = helper_.check(host_, pending.id);
    if (!state) return left(pending, state.error().message());
    if (state->state != "reverted" && state->state != "expired" && state->state != "absent")
      return left(pending, state->sentence);
    const auto forgotten = helper_.call(host_, "forget " + pending.words, {"forget", pending.id});
    if (!forgotten) return left(pending, forgotten.error().message());
    healing_.done.push_back("Undone on " + host_.name() + ": " + pending.words + " (" + state->sentence +
                            ").");
  }

 private:
  void left(const Helper::Pending& pending, const std::string& why) {
    healing_.left.push_back("Undo " + pending.words + " on " + host_.name() + ": " + why +
                            ". By hand there: " + typed(helper_.command({"revert", pending.id})));
  }

  Host& host_;
  const Helper& helper_;
  HostHealing& healing_;
};

void heal_host(Host& host, const std::string& run_id, HostHealing& healing) {
  const auto not_known = [&](const Failure& failure) {
    healing.left.push_back("What is broken on " + host.name() + " is not known: " + failure.message());
  };
  const auto helper = find_helper(host);
  if (!helper) return not_known(helper.error());
  const auto pending = helper->pending(host);
  if (!pending) return not_known(pending.error());
  HostHealer healer{host, *helper, healing};
  for (auto each = pending->rbegin(); each != pending->rend(); ++each) {
    if (each->id.starts_with(run_id + ".")) healer.undo(*each);
  }
}

}  // namespace

HostHealing heal_hosts(const std::vector<Host*>& hosts, const std::string& run_id) {
  HostHealing healing;
  for (Host* host : hosts) heal_host(*host, run_id, healing);
  return healing;
}

}  // namespace pgfiredrill::fault
