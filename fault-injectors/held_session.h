#pragma once

/// One session with an open transaction, held on the leader: for faults that ask what becomes of it when the
/// leader goes. Nothing of it lives longer than this process.

#include <optional>
#include <string>
#include <vector>

#include "cluster/postgres_control.h"
#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

class HeldSession : public Fault {
 public:
  /// `statements` open what is held; `question` counts it on the leader, $1 is the application's name.
  HeldSession(const FaultSpec& spec, Tools tools, std::vector<std::string> statements, std::string question);

  [[nodiscard]] Result<void> aim(const ClusterSnapshot& now) override;
  [[nodiscard]] const std::string& target() const noexcept override { return target_; }
  [[nodiscard]] std::vector<std::string> describe() const override;
  [[nodiscard]] Result<void> inject() override;
  [[nodiscard]] Evidence verify(nanoseconds deadline) override;
  /// Never says no: that another fault has ended the session is what one wants to see.
  [[nodiscard]] Evidence verify_held() override;
  [[nodiscard]] Result<void> revert() override;
  /// What became of the session, and that no server has it any more.
  [[nodiscard]] Evidence verify_reverted() override;

 private:
  void note_fate();

  Tools tools_;
  std::vector<std::string> statements_;
  std::string question_;
  std::string target_;
  ConnectParameters way_in_;
  std::optional<PostgresControl> session_;
  std::string fate_;  ///< empty: never opened
};

}  // namespace pgfiredrill::fault
