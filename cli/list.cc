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
      add(out, suite.name + " / " + drill.plan.name,
          drill.plan.description + " (" + drill.plan.fault.kind + " on the " + drill.plan.fault.target + ")");
    }
  }
}

void list_faults(std::ostream& out) {
  for (const fault::FaultKind& kind : fault::fault_kinds()) {
    add(out, kind.name,
        std::string{kind.proves} + " Targets: " + join(kind.targets, ", ") + ". " + kind.undone_by);
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
