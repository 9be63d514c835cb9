#pragma once

/// One YAML document as a bounded tree, for configuration files that others wrote.
///
/// yaml-cpp parses; the tree is ours for three reasons. Aliases share their anchor's node, so that nested
/// ones cost nothing. Depth and number of nodes are bounded. And of a key that stands twice the last one
/// counts, as Python programs (Patroni) read it, where yaml-cpp takes the first.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "cluster/config/config_text.h"

namespace pgfiredrill {

class YamlDocument {
 public:
  using Node = std::size_t;

  enum class Kind : unsigned char { null, scalar, list, mapping };

  /// Fails `malformed` with the line on what is not YAML, is nested deeper than 64, or has more than 200,000
  /// nodes. Tags are not followed: every scalar is its text. Only the first document of a stream is read; a
  /// stream without one is null.
  [[nodiscard]] static Result<YamlDocument> parse(const std::string& text, const ConfigFile& file);

  [[nodiscard]] Node root() const noexcept { return root_; }
  [[nodiscard]] Kind kind(Node node) const noexcept { return nodes_[node].kind; }

  /// The value of `key`, directly or by a merge (`<<`); absent in what is no mapping.
  [[nodiscard]] std::optional<Node> find(Node mapping, const std::string& key) const;
  /// The same along a path of keys.
  [[nodiscard]] std::optional<Node> find_path(Node mapping, const std::vector<std::string>& keys) const;
  /// A scalar's text; absent for null, lists and mappings.
  [[nodiscard]] std::optional<std::string> text(Node node) const;
  /// `text` of `find_path`; empty where there is none.
  [[nodiscard]] std::string text_at(Node mapping, const std::vector<std::string>& keys) const;
  /// A list's members; empty for anything else.
  [[nodiscard]] std::vector<Node> members(Node list) const;
  /// Keys that are scalars, with their values, in the order of the file.
  [[nodiscard]] std::vector<std::pair<std::string, Node>> entries(Node mapping) const;
  /// Every key with its value as it stands, in the order of the file; empty for what is no mapping.
  [[nodiscard]] std::vector<std::pair<Node, Node>> pairs(Node mapping) const;
  /// Where it begins in the text, from 1.
  [[nodiscard]] std::size_t line(Node node) const noexcept { return nodes_[node].line; }

 private:
  friend class YamlTreeBuilder;

  struct Value {
    Kind kind = Kind::null;
    std::string text;
    std::size_t line = 1;
    std::vector<Node> children;  ///< of a list its members; of a mapping key, value, key, value
  };

  [[nodiscard]] std::optional<Node> find_own(Node mapping, const std::string& key) const;

  std::vector<Value> nodes_;
  Node root_ = 0;
};

}  // namespace pgfiredrill
