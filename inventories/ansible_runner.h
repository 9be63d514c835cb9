#pragma once

/// Runs Ansible's programs on this machine for what they know about an inventory. No host is contacted.
///
/// The user's ansible.cfg and environment count (vault password file, inventory plugins, collections); only
/// what would change the form of the answer, ask a question or write the answer to a log is overruled.

#include <map>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/process.h"
#include "base/secret.h"
#include "inventories/ansible_inventory.h"
#include "inventories/inventory_listing.h"

namespace pgfiredrill {

struct AnsibleListing {
  InventoryListing listing;
  bool partly_unread = false;  ///< Ansible warned that it could not read a part of the inventory
};

struct RenderedVariables {
  HostVariables values;                        ///< what could not be rendered is not in it
  std::map<std::string, std::string> reasons;  ///< why not, by variable, fit for a message; may be missing
};

using RenderedHosts = std::map<std::string, RenderedVariables>;

class AnsibleRunner {
 public:
  /// Keeps references.
  AnsibleRunner(const AnsibleInventoryOptions& options, ProcessRunner& processes)
      : options_{options}, processes_{processes} {}

  [[nodiscard]] Result<AnsibleListing> list(const VariableForms& used);

  /// Renders variables for the hosts of `groups`, by host. Fails `denied` where the vault password does not
  /// open a value. `secrets` are scrubbed from what Ansible says.
  [[nodiscard]] Result<RenderedHosts> render(const VariableForms& variables,
                                             const std::vector<std::string>& groups,
                                             const std::vector<Secret>& secrets);

 private:
  [[nodiscard]] ProcessRequest request(std::string program) const;
  [[nodiscard]] Result<ProcessResult> run(const ProcessRequest& request);
  [[nodiscard]] Result<std::map<std::string, RenderedHost>> debug(const VariableForms& variables,
                                                                  const std::vector<std::string>& groups,
                                                                  const std::vector<Secret>& secrets);
  [[nodiscard]] Failure program_missing(const Failure& cause) const;
  [[nodiscard]] Failure complained(const ProcessResult& result) const;
  [[nodiscard]] Failure vault_denied() const;

  const AnsibleInventoryOptions& options_;
  ProcessRunner& processes_;
};

}  // namespace pgfiredrill
