#include "observers/server_observer.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <pthread.h>

#include "cluster/server_question.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kInterval{100};

/// One server's questions on their schedule.
class Schedule {
 public:
  Schedule(boost::asio::io_context& loop, nanoseconds phase, ObservedServer server,
           const OpenRoute& open_route, Recorder& recorder, Clock& clock)
      : lane_{loop, std::move(server), open_route, recorder, clock}, timer_{loop} {
    timer_.expires_after(phase);
    wait();
  }

 private:
  void wait() {
    timer_.async_wait([this](boost::system::error_code error) {
      if (error) return;
      lane_.tick();
      // What was missed is not made up for.
      timer_.expires_at(std::max(timer_.expiry() + kInterval, std::chrono::steady_clock::now()));
      wait();
    });
  }

  ServerLane lane_;
  boost::asio::steady_timer timer_;
};

class ObserverThread final : public ServerObserver {
 public:
  ObserverThread(std::vector<ObservedServer> servers, OpenRoute open_route, Recorder& recorder, Clock& clock)
      : open_route_{std::move(open_route)} {
    // Logins burn milliseconds each: no two of them are due at the same time.
    const nanoseconds apart = nanoseconds{kInterval} / std::max<std::size_t>(servers.size(), 1);
    nanoseconds phase{0};
    for (ObservedServer& server : servers) {
      schedules_.push_back(
          std::make_unique<Schedule>(loop_, phase, std::move(server), open_route_, recorder, clock));
      phase += apart;
    }
    thread_ = std::thread{[this] { loop_.run(); }};
    ::pthread_setname_np(thread_.native_handle(), "observer");
  }

  ~ObserverThread() override {
    loop_.stop();
    thread_.join();
    schedules_.clear();
  }
  ObserverThread(const ObserverThread&) = delete;
  ObserverThread& operator=(const ObserverThread&) = delete;

 private:
  const OpenRoute open_route_;
  boost::asio::io_context loop_{1};
  std::vector<std::unique_ptr<Schedule>> schedules_;
  std::thread thread_;
};

}  // namespace

std::vector<ObservedServer> servers_to_observe(const ClusterDescription& cluster,
                                               const ConnectParameters& login) {
  std::vector<ObservedServer> servers;
  for (const Member& member : cluster.members) {
    ConnectParameters direct = login;
    direct.host = member.postgres.host;
    direct.port = member.postgres.port;
    direct.application_name = kObserverApplication;
    servers.push_back({member.name, member.host, std::move(direct)});
  }
  return servers;
}

std::unique_ptr<ServerObserver> ServerObserver::start(std::vector<ObservedServer> servers,
                                                      OpenRoute open_route, Recorder& recorder,
                                                      Clock& clock) {
  return std::make_unique<ObserverThread>(std::move(servers), std::move(open_route), recorder, clock);
}

}  // namespace pgfiredrill
