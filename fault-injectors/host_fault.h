#pragma once

/// What all faults have in common that the helper does on hosts: arming, injecting, checking and reverting
/// one breakage after the other. A kind says what is to be broken, and how the cluster shows it.

#include <memory>
#include <string>
#include <vector>

#include "fault-injectors/aiming.h"
#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

/// One thing that the helper does to one host.
struct Breakage {
  std::string host;                ///< inventory name
  std::vector<std::string> words;  ///< the helper's verb and its arguments
};

class HostFault : public Fault {
 public:
  HostFault(const FaultSpec& spec, Tools tools);

  [[nodiscard]] Result<void> aim(const ClusterSnapshot& now) final;
  [[nodiscard]] const std::string& target() const noexcept final { return target_; }
  [[nodiscard]] std::vector<std::string> describe() const override;
  [[nodiscard]] Result<void> arm() override;
  /// In the order of the breakages; what was injected before one that fails is in force (in doubt).
  [[nodiscard]] Result<void> inject() override;
  [[nodiscard]] Evidence verify(nanoseconds deadline) override;
  [[nodiscard]] Evidence verify_held() override;
  /// The last one first; one that fails does not keep the others from being undone.
  [[nodiscard]] Result<void> revert() override;
  [[nodiscard]] Evidence verify_reverted() override;
  [[nodiscard]] std::vector<std::string> by_hand() const override;

 protected:
  /// What is to be broken on these victims. Not empty. Blocking.
  [[nodiscard]] virtual Result<std::vector<Breakage>> plan(const std::vector<Victim>& victims,
                                                           const ClusterSnapshot& now) = 0;
  /// What the cluster shows while the breakages are in force; by default nothing more is asked for.
  [[nodiscard]] virtual Evidence judge(const ClusterSnapshot& now);
  /// Break all at the same moment, where it matters that none is left when the last one is hit.
  [[nodiscard]] virtual bool all_at_once() const { return false; }
  /// A host that lets nobody log in any more proves it (it is on its way down).
  [[nodiscard]] virtual bool silence_proves_it() const { return false; }
  /// How the helper's `arm` is timed: from arming to the revert that nobody asked for.
  [[nodiscard]] std::chrono::seconds armed_for() const;

  [[nodiscard]] const FaultSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] const Tools& tools() const noexcept { return tools_; }
  [[nodiscard]] const std::vector<Victim>& victims() const noexcept { return victims_; }
  /// An option that the kind declares; it is there.
  [[nodiscard]] const std::string& option(const std::string& name) const;

 private:
  struct Placed {
    Breakage breakage;
    std::string id;
    Host* host;
  };

  [[nodiscard]] Result<void> inject_one(const Placed& placed) const;
  [[nodiscard]] Result<void> inject_in_turn() const;
  [[nodiscard]] Result<void> inject_at_once() const;
  [[nodiscard]] Evidence in_force() const;
  [[nodiscard]] bool is_silent(const Placed& placed, const Failure& failure) const;

  FaultSpec spec_;
  Tools tools_;
  std::string target_;
  std::vector<Victim> victims_;
  std::vector<Placed> placed_;
};

}  // namespace pgfiredrill::fault
