#include "cli/list.h"

#include <ostream>

#include "base/text.h"
#include "fault-injectors/fault.h"
#include "report/terminal.h"
#include "suites/suite.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kWidth = 100;

void add(std::ostream& out, const std::string& name, const std::string& text) {
  out << name << '\n' << wrap_text(text, kWidth, 4);
}

void list_suites(std::ostream& out) {
  for (const Suite& suite : built_in_suites()) add(out, suite.name, suite.description);
}

void list_drills(std::ostream& out) {
  for (const Suite& suite : built_in_suites()) {
    for (const DrillSpec& drill : suite.drills) {
      const std::string why = drill.plan.why.empty() ? "" : " " + drill.plan.why;
      add(out, suite.name + " / " + drill.plan.name,
          drill.plan.description + why + " (" + drill.plan.fault.kind + " on the " + drill.plan.fault.target +
              ")");
    }
  }
}

/// "service: patroni, etcd." and so on, the default first,, as a suite's file would say it.
std::string options_of(const fault::FaultKind& kind) {
  std::string text;
  for (const fault::FaultOption& option : kind.options) {
    text += std::string{" "} + option.name + ": " + join(option.values, ", ") + ".";
  }
  return kind.holds ? text + " hold_s: seconds for which it stays (ttl + 15 unless told)." : text;
}

void list_faults(std::ostream& out) {
  for (const fault::FaultKind& kind : fault::fault_kinds()) {
    add(out, kind.name,
        std::string{kind.proves} + ". target: " + join(kind.targets, ", ") +
            (kind.names ? ", or the name of a member or host." : ".") + options_of(kind) +
            " Undone by: " + kind.undone_by + ".");
  }
}

}  // namespace

ExitClass run_list(const ListCommand& command, std::ostream& out) {
  switch (command.topic) {
    case ListTopic::suites:
      list_suites(out);
      break;
    case ListTopic::drills:
      list_drills(out);
      break;
    case ListTopic::faults:
      list_faults(out);
      break;
  }
  return ExitClass::passed;
}

}  // namespace pgfiredrill
