#pragma once

/// What Ansible prints about an inventory, as plain data: the answer of `ansible-inventory --list`, and the
/// values that `ansible -m debug` rendered. Only this file's implementation knows that it is JSON.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "base/secret.h"

namespace pgfiredrill {

/// A variable's value: a scalar as text ("true", "5432"; null is empty), or the scalars of a dictionary.
/// Anything else (lists, deeper nesting) is nothing that we use, and is empty.
struct InventoryVariable {
  std::string text;
  std::map<std::string, std::string> entries;
  bool vault = false;  ///< encrypted: `text` is empty until it is rendered

  /// Holds Jinja or vault text, which `--list` leaves as it stands in the file.
  [[nodiscard]] bool needs_rendering() const;
};

enum class VariableForm : unsigned char {
  text,
  dictionary,
  presence,  ///< its value is nothing that we want to know: kept without one
};

/// Names of variables and what is wanted of each.
using VariableForms = std::map<std::string, VariableForm>;

using HostVariables = std::map<std::string, InventoryVariable>;

struct InventoryGroup {
  std::vector<std::string> hosts;
  std::vector<std::string> children;
};

struct InventoryListing {
  std::map<std::string, InventoryGroup> groups;
  std::map<std::string, HostVariables> host_variables;
  std::vector<Secret> secrets;  ///< values of variables whose names say so, for `scrub`

  /// Hosts of a group and of its children, in the inventory's order, each once.
  [[nodiscard]] std::vector<std::string> hosts_of(const std::string& group) const;
};

/// Reads the answer of `ansible-inventory --list`; of the variables keeps those named in `used`. Fails
/// `malformed`.
[[nodiscard]] Result<InventoryListing> parse_listing(const std::string& text, const VariableForms& used);

/// What became of one host.
struct RenderedHost {
  HostVariables values;  ///< what could not be resolved is not in it
  std::string failure;   ///< Ansible's words where the whole host failed
};

/// Arguments of the `debug` module that print these variables, and what `parse_rendering` reads.
[[nodiscard]] std::string rendering_arguments(const VariableForms& variables);

/// Reads what `ansible -m debug` printed with those arguments, by host. Parts that are not in its form are
/// passed over. The words of a failure may hold secrets.
[[nodiscard]] std::map<std::string, RenderedHost> parse_rendering(std::string_view output);

}  // namespace pgfiredrill
