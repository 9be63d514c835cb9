#include "drivers/application_clients.h"

#include <algorithm>
#include <utility>

#include "drivers/application_client.h"
#include "drivers/client_journal.h"
#include "drivers/connector.h"

namespace pgfiredrill {
namespace {

constexpr nanoseconds kPoll = std::chrono::milliseconds{5};
constexpr nanoseconds kCommitDeadline = std::chrono::seconds{1};

class Clients final : public ApplicationClients {
 public:
  Clients(ApplicationClientsOptions options, Recorder& recorder, Clock& clock);
  ~Clients() override;

  void open(std::size_t drill, std::size_t repeat, nanoseconds deadline) override;
  void fault_sent(nanoseconds at) override;
  void finish() override;

 private:
  void log_in(const std::shared_ptr<ApplicationClient>& client, nanoseconds deadline);
  /// True where it came to that in time.
  bool wait_until_all(bool (ApplicationClient::*condition)() const noexcept, nanoseconds limit);
  template <typename Work>
  void on_loop_for_each(Work work) {
    connector_.loop().call([this, &work] {
      for (const auto& client : clients_) work(*client);
    });
  }

  ApplicationClientsOptions options_;
  Clock& clock_;
  ClientJournal journal_;
  SocketSet sockets_;
  Connector connector_;
  std::uint64_t last_number_ = 0;                            ///< never used twice in a run
  std::vector<std::shared_ptr<ApplicationClient>> clients_;  ///< on the loop
};

Clients::Clients(ApplicationClientsOptions options, Recorder& recorder, Clock& clock)
    : options_{std::move(options)},
      clock_{clock},
      journal_{recorder, options_.access.password},
      connector_{"applications", recorder, clock} {
  connector_.loop().watch(sockets_.descriptor(), [this](auto next_tick) { sockets_.dispatch(next_tick); });
  connector_.loop().start_ticking([this](nanoseconds now) {
    for (const auto& client : clients_) client->tick(now);
  });
}

Clients::~Clients() {
  connector_.loop().stop();
}

void Clients::open(std::size_t drill, std::size_t repeat, nanoseconds deadline) {
  finish();
  std::vector<std::shared_ptr<ApplicationClient>> clients;
  for (const ClientSpec& spec : options_.clients) {
    clients.push_back(std::make_shared<ApplicationClient>(++last_number_, spec, sockets_, journal_, clock_));
  }
  connector_.loop().call([&] {
    journal_.set_repeat(drill, repeat);
    clients_ = clients;
  });
  for (const auto& client : clients) log_in(client, deadline);
  if (wait_until_all(&ApplicationClient::prepared, deadline)) return;
  on_loop_for_each([](ApplicationClient& client) {
    if (!client.prepared()) client.give_up("it was not ready in time");
  });
}

void Clients::log_in(const std::shared_ptr<ApplicationClient>& client, nanoseconds deadline) {
  const TrafficPath& path = client->spec().path;
  const TrafficAccess& access = options_.access;
  connector_.open(
      {.targets = login_targets(path, access.database, access.user, access.password, access.sslmode),
       .depth = path.depth,
       .limit = deadline,
       .read_write = true},
      [client](OpenedSession opened) {
        if (client->prepared()) return;  // given up on since
        if (opened.ready) {
          client->hold(std::move(opened.exchange));
        } else {
          client->give_up(opened.text);
        }
      });
}

bool Clients::wait_until_all(bool (ApplicationClient::*condition)() const noexcept, nanoseconds limit) {
  const nanoseconds end = clock_.monotonic() + limit;
  while (true) {
    const bool all = connector_.loop().call([&] {
      return std::all_of(clients_.begin(), clients_.end(),
                         [&](const auto& client) { return (client.get()->*condition)(); });
    });
    if (all || clock_.monotonic() >= end) return all;
    clock_.sleep_for(kPoll);
  }
}

void Clients::fault_sent(nanoseconds at) {
  on_loop_for_each([at](ApplicationClient& client) { client.fault_sent(at); });
}

void Clients::finish() {
  on_loop_for_each([](ApplicationClient& client) { client.end_transaction(); });
  (void)wait_until_all(&ApplicationClient::ended, kCommitDeadline);
  on_loop_for_each([](ApplicationClient& client) { client.close(); });
  connector_.loop().call([this] { clients_.clear(); });
}

}  // namespace

std::unique_ptr<ApplicationClients> ApplicationClients::create(ApplicationClientsOptions options,
                                                               Recorder& recorder, Clock& clock) {
  return std::make_unique<Clients>(std::move(options), recorder, clock);
}

}  // namespace pgfiredrill
