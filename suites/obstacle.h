#pragma once

/// What stands in the way of a run, and the names by which a person lets single ones pass. Pure.

#include <set>
#include <string>
#include <vector>

namespace pgfiredrill {

/// A reason to refuse that preflight found.
struct Obstacle {
  std::string name;  ///< by which `--override` lets it pass; empty: nothing does
  std::string text;  ///< a sentence
};

struct OverrideName {
  const char* name;
  const char* lets_pass;  ///< what a person answers for who gives it, a clause
};

/// Every name that `--override` takes, as docs/drills.md lists them. What is not among them never passes: the
/// lock, hosts that do not answer, REST's consent, a pause, a database of somebody else's.
[[nodiscard]] const std::vector<OverrideName>& override_names();
/// The names alone, with ", " between them.
[[nodiscard]] std::string all_override_names();
[[nodiscard]] bool is_override_name(const std::string& name);

/// What is left of the obstacles, and what was let pass.
struct Sifted {
  std::vector<std::string> refusals;  ///< each once, with how it could be let pass
  std::vector<Obstacle> overridden;
};
[[nodiscard]] Sifted sift(const std::vector<Obstacle>& obstacles, const std::set<std::string>& overrides);

/// Texts that nothing lets pass.
[[nodiscard]] std::vector<Obstacle> firm(const std::vector<std::string>& texts);

}  // namespace pgfiredrill
