#include "drivers/client_journal.h"

#include <utility>

namespace pgfiredrill {

void ClientJournal::opened(std::uint64_t client, const ClientSpec& spec, std::int64_t postmaster_start) {
  recorder_.add({.kind = event::kClientOpened,
                 .fields = {{"drill", static_cast<std::int64_t>(drill_)},
                            {"repeat", static_cast<std::int64_t>(repeat_)},
                            {"client", static_cast<std::int64_t>(client)},
                            {"kind", std::string{to_string(spec.kind)}},
                            {"entrypoint", spec.path.entrypoint},
                            {"postmaster_start", std::to_string(postmaster_start)}}});
}

void ClientJournal::not_opened(const ClientSpec& spec, const std::string& why) {
  const std::string text = std::string{"No session of kind "} + to_string(spec.kind) + " could be held on " +
                           spec.path.entrypoint + ": " + scrub(one_line(why), {password_}) + ".";
  recorder_.add({.kind = event::kRemark, .fields = {{"text", text}}});
}

void ClientJournal::answered(std::uint64_t client, const Answer& answer) {
  const bool ok = answer.trouble.error.none();
  Event event{.kind = event::kClientAnswer,
              .fields = {{"client", static_cast<std::int64_t>(client)},
                         {"statement", std::string{answer.statement}},
                         {"ok", ok},
                         {"took_s", to_seconds(answer.took)}}};
  if (!ok) {
    event.fields["class"] = answer.trouble.error.to_string();
    event.fields["layer"] = std::string{to_string(answer.trouble.layer)};
    event.fields["text"] = scrub(one_line(answer.text), {password_});
    event.fields["broken"] = answer.broken;
  } else if (answer.server.whole) {
    event.fields["in_recovery"] = answer.server.in_recovery;
    event.fields["postmaster_start"] = std::to_string(answer.server.postmaster_start);
  }
  recorder_.add(std::move(event));
}

void ClientJournal::closed(std::uint64_t client, std::optional<nanoseconds> waiting) {
  Event event{.kind = event::kClientClosed, .fields = {{"client", static_cast<std::int64_t>(client)}}};
  if (waiting) event.fields["waiting_s"] = to_seconds(*waiting);
  recorder_.add(std::move(event));
}

}  // namespace pgfiredrill
