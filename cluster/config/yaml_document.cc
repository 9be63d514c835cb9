#include "cluster/config/yaml_document.h"

#include <algorithm>
#include <exception>
#include <map>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/text.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kMaximumDepth = 64;
constexpr std::size_t kMaximumNodes = 200'000;
constexpr std::size_t kMaximumMergeSteps = 16;

/// Ends yaml-cpp's parsing from inside a handler; never leaves this file.
struct OverBound {
  std::size_t line;
  const char* why;
};

std::size_t line_of(const YAML::Mark& mark) {
  return mark.line < 0 ? 1 : static_cast<std::size_t>(mark.line) + 1;
}

bool is_null_word(const std::string& text) {
  return text == "~" || text == "null" || text == "Null" || text == "NULL";
}

}  // namespace

class YamlTreeBuilder final : public YAML::EventHandler {
 public:
  explicit YamlTreeBuilder(YamlDocument& document) : document_{document} {
    document_.nodes_.emplace_back();  // the root of a stream without a document
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(mark, anchor, YamlDocument::Kind::null);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto target = anchors_.find(anchor);
    attach(mark, target == anchors_.end() ? add_node(mark, YamlDocument::Kind::null) : target->second);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool plain = tag == "?";
    if (plain && is_null_word(value)) {
      add(mark, anchor, YamlDocument::Kind::null);
    } else {
      document_.nodes_[add(mark, anchor, YamlDocument::Kind::scalar)].text = value;
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, YamlDocument::Kind::list);
  }

  void OnSequenceEnd() override { open_.pop_back(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, YamlDocument::Kind::mapping);
  }

  void OnMapEnd() override { open_.pop_back(); }

 private:
  YamlDocument::Node add_node(const YAML::Mark& mark, YamlDocument::Kind kind) {
    if (document_.nodes_.size() >= kMaximumNodes) throw OverBound{line_of(mark), "has one value too many"};
    document_.nodes_.push_back({.kind = kind, .text = {}, .line = line_of(mark), .children = {}});
    return document_.nodes_.size() - 1;
  }

  void attach(const YAML::Mark& mark, YamlDocument::Node node) {
    if (open_.empty()) {
      document_.root_ = node;
      return;
    }
    // An alias adds no node, so the links are bounded apart.
    if (++links_ > kMaximumNodes) throw OverBound{line_of(mark), "has one value too many"};
    document_.nodes_[open_.back()].children.push_back(node);
  }

  YamlDocument::Node add(const YAML::Mark& mark, YAML::anchor_t anchor, YamlDocument::Kind kind) {
    const YamlDocument::Node node = add_node(mark, kind);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    attach(mark, node);
    return node;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlDocument::Kind kind) {
    if (open_.size() >= kMaximumDepth) throw OverBound{line_of(mark), "is nested too deeply"};
    open_.push_back(add(mark, anchor, kind));
  }

  YamlDocument& document_;
  std::vector<YamlDocument::Node> open_;
  std::map<YAML::anchor_t, YamlDocument::Node> anchors_;
  std::size_t links_ = 0;
};

Result<YamlDocument> YamlDocument::parse(const std::string& text, const ConfigFile& file) {
  if (const auto refusal = refuse_unreadable(file, text)) return *refusal;
  YamlDocument document;
  const std::size_t line_count = std::max<std::size_t>(lines(text).size(), 1);
  try {
    YamlTreeBuilder builder{document};
    // yaml-cpp takes a quote that is still open at the end for closed; before an end of document it does not.
    std::istringstream stream{text + "\n...\n"};
    YAML::Parser{stream}.HandleNextDocument(builder);
  } catch (const OverBound& bound) {
    return malformed_line(file, bound.line, bound.why);
  } catch (const YAML::Exception& error) {
    // Its text may quote the file (an anchor's name), so only the place is told.
    return malformed_line(file, std::min(line_of(error.mark), line_count), "is not valid YAML");
  } catch (const std::exception&) {
    return malformed_file(file, "it is not valid YAML");
  }
  return document;
}

std::optional<YamlDocument::Node> YamlDocument::find_own(Node mapping, const std::string& key) const {
  const Value& value = nodes_[mapping];
  if (value.kind != Kind::mapping) return std::nullopt;
  for (std::size_t at = value.children.size() / 2; at-- > 0;) {
    const Value& candidate = nodes_[value.children[2 * at]];
    if (candidate.kind == Kind::scalar && candidate.text == key) return value.children[2 * at + 1];
  }
  return std::nullopt;
}

std::optional<YamlDocument::Node> YamlDocument::find(Node mapping, const std::string& key) const {
  // Merges may name mappings that merge in turn, or themselves: the steps are bounded, not the depth.
  std::vector<Node> pending{mapping};
  for (std::size_t step = 0; step < kMaximumMergeSteps && !pending.empty(); ++step) {
    const Node node = pending.back();
    pending.pop_back();
    if (const auto own = find_own(node, key)) return own;
    const auto merge = find_own(node, "<<");
    if (!merge) continue;
    const Value& merged = nodes_[*merge];
    if (merged.kind != Kind::list) {
      pending.push_back(*merge);
      continue;
    }
    for (std::size_t at = std::min(merged.children.size(), kMaximumMergeSteps); at-- > 0;) {
      pending.push_back(merged.children[at]);
    }
  }
  return std::nullopt;
}

std::optional<YamlDocument::Node> YamlDocument::find_path(Node mapping,
                                                          const std::vector<std::string>& keys) const {
  std::optional<Node> node = mapping;
  for (const std::string& key : keys) {
    if (node) node = find(*node, key);
  }
  return node;
}

std::optional<std::string> YamlDocument::text(Node node) const {
  if (nodes_[node].kind != Kind::scalar) return std::nullopt;
  return nodes_[node].text;
}

std::string YamlDocument::text_at(Node mapping, const std::vector<std::string>& keys) const {
  const auto node = find_path(mapping, keys);
  return node ? text(*node).value_or("") : "";
}

std::vector<YamlDocument::Node> YamlDocument::members(Node list) const {
  return nodes_[list].kind == Kind::list ? nodes_[list].children : std::vector<Node>{};
}

std::vector<std::pair<std::string, YamlDocument::Node>> YamlDocument::entries(Node mapping) const {
  std::vector<std::pair<std::string, Node>> result;
  for (const auto& [key, value] : pairs(mapping)) {
    if (const auto name = text(key)) result.emplace_back(*name, value);
  }
  return result;
}

std::vector<std::pair<YamlDocument::Node, YamlDocument::Node>> YamlDocument::pairs(Node mapping) const {
  std::vector<std::pair<Node, Node>> result;
  const Value& value = nodes_[mapping];
  if (value.kind != Kind::mapping) return result;
  for (std::size_t at = 0; at + 1 < value.children.size(); at += 2) {
    result.emplace_back(value.children[at], value.children[at + 1]);
  }
  return result;
}

}  // namespace pgfiredrill
