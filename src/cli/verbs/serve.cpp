// attune serve: model folders as a service over HTTP.
#include <fmt/core.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>

#include "attune/error.h"
#include "attune/threads.h"
#include "base/threads/team.h"
#include "cli/options/config_options.h"
#include "cli/options/precision_option.h"
#include "cli/verb.h"
#include "config/rules.h"
#include "io/files/file.h"
#include "serve/api/service.h"
#include "serve/engine/run_places.h"
#include "serve/http/browsers.h"
#include "serve/http/http_server.h"
#include "serve/http/log_writer.h"

namespace attune::cli {
namespace {

constexpr int kInterrupted = 130;

struct Options {
  explicit Options(CLI::App& app) : search(app) {}

  std::vector<std::string> models, runs, hosts;
  std::string keys, cors, tls_certificate, tls_key;
  bool quiet = false, behind_proxy = false;
  double time_limit = 30, batch_wait = 3, request_time = 10, stop_time = 30;
  int64_t body_limit = 256 << 10, rate = 0, cache_megabytes = 0, queue_megabytes = 64, answer_megabytes = 16;
  serve::HttpServerOptions http;
  serve::EngineOptions engine;
  PrecisionChoice precision = PrecisionChoice::f32;
  ConfigOptions search;
};

std::chrono::microseconds milliseconds(double count) {
  return std::chrono::microseconds(static_cast<int64_t>(1000 * count));
}
std::chrono::milliseconds seconds(double count) {
  return std::chrono::ceil<std::chrono::milliseconds>(milliseconds(1000 * count));
}

// One thread waits for all signals that matter here, so that no handler runs in the middle of a kernel.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, number);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    signal(SIGPIPE, SIG_IGN);
  }
  // 0 if none came for a while.
  int next() const {
    const timespec while_waiting{0, 100'000'000};
    return std::max(0, sigtimedwait(&set_, nullptr, &while_waiting));
  }

 private:
  sigset_t set_{};
};

// Every connection takes a descriptor: raise the limit as far as the system allows.
void raise_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

serve::ApiKeys keys_of(const Options& options) {
  return options.keys.empty() ? serve::ApiKeys()
                              : serve::ApiKeys::parse(read_file(options.keys), options.keys);
}

serve::MakeTransport transport_of(const Options& options) {
  if (options.tls_certificate.empty()) return serve::plain_transport;
  const auto tls = std::make_shared<const serve::Tls>(options.tls_certificate, options.tls_key);
  return [tls](int socket) { return tls->transport(socket); };
}

serve::EngineOptions engine_options(const Options& options) {
  serve::EngineOptions engine = options.engine;
  for (const std::string& model : options.models) engine.models.push_back(serve::parse_model_place(model));
  engine.runs = serve::run_places(options.runs);
  engine.search = options.search.entries();
  engine.precision = chosen(options.precision);
  if (engine.queue.workers == 0) engine.queue.workers = threads();
  engine.queue.wait = milliseconds(options.batch_wait);
  engine.time_limit = seconds(options.time_limit);
  engine.held_bytes = static_cast<size_t>(options.queue_megabytes) << 20;
  engine.cache_bytes = static_cast<size_t>(options.cache_megabytes) << 20;
  engine.answer_bytes = static_cast<size_t>(options.answer_megabytes) << 20;
  engine.keys_needed = !options.keys.empty();
  return engine;
}

serve::HttpServerOptions http_options(const Options& options) {
  serve::HttpServerOptions http = options.http;
  http.limits.body = static_cast<size_t>(options.body_limit);
  http.times.request = seconds(options.request_time);
  http.told = seconds(options.stop_time / 6);
  http.stop = seconds(options.stop_time) - http.told;
  http.transport = transport_of(options);
  return http;
}

// Behind a proxy, requests name the proxy; a server that others can reach does not know its own names.
std::optional<std::vector<std::string>> hosts_of(const Options& options) {
  if (options.hosts.empty() && (options.behind_proxy || !serve::is_loopback(options.http.host))) return {};
  return options.hosts;
}

// The server itself, and the signals that control it.
class Program {
 public:
  explicit Program(const Options& options)
      : options_(options),
        messages_(STDERR_FILENO),
        log_(STDOUT_FILENO, [this] { metrics_.dropped_line(); }),
        engine_(engine_options(options), metrics_),
        service_({.keys = keys_of(options),
                  .rate = options.rate,
                  .cors = options.cors,
                  .behind_proxy = options.behind_proxy,
                  .hosts = hosts_of(options),
                  .log = options.quiet ? nullptr : &log_,
                  .messages = &messages_},
                 engine_, metrics_),
        server_(http_options(options), service_) {}

  void run(const Signals& signals) {
    for (const auto& model : engine_.table()->models())
      say(fmt::format("{} ({}, {} parameters)", model->name(), model->type(), model->parameters()));
    say(fmt::format("listening at {}://{}:{}", options_.tls_key.empty() ? "http" : "https",
                    options_.http.host, server_.port()));
    std::atomic<bool> ended = false;
    {
      const Team listener(
          1, "to wait for signals",
          [&] {
            while (!ended) take(signals.next());
          },
          [&] { ended = true; });
      server_.run();
    }
    // All clients have been told; nobody waits for work that is still running and cannot be stopped.
    if (!server_.idle()) _exit(0);
  }

 private:
  // Never waits for a reader.
  void say(const std::string& message) { messages_.write("attune: " + message + "\n"); }

  void take(int signal) {
    if (signal == SIGHUP) reload();
    if (signal != SIGINT && signal != SIGTERM) return;
    if (stopped_) _exit(kInterrupted);
    say("stopping after the requests in progress");
    server_.stop();
    stopped_ = true;
  }

  // All of it or nothing.
  void reload() {
    try {
      auto keys = keys_of(options_);
      auto transport = transport_of(options_);
      engine_.reload();
      service_.set_keys(std::move(keys));
      server_.set_transport(std::move(transport));
      say("models, keys and certificates were reloaded");
    } catch (const std::exception& error) {
      say(fmt::format("{}; models, keys and certificates stay as they were", error.what()));
    }
  }

  const Options& options_;
  serve::Metrics metrics_;
  serve::LogWriter messages_, log_;
  serve::Engine engine_;
  serve::Service service_;
  serve::HttpServer server_;
  bool stopped_ = false;
};

void run(const Options& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty())
    throw UsageError("serve: --tls-certificate and --tls-key belong together");
  const Signals signals;
  raise_descriptors();
  Program(options).run(signals);
}

void add_limits(CLI::App& app, Options& options) {
  const std::string group = "Load";
  auto& queue = options.engine.queue;
  const auto add = [&](const char* name, auto& value, const char* help) {
    return app.add_option(name, value, help)->group(group)->check(CLI::NonNegativeNumber);
  };
  add("--cpu-threads", queue.workers, "threads that translate; 0: one per core")
      ->check(CLI::Range(int64_t{0}, kMostThreads));
  add("--mini-batch-words", queue.batch_tokens, "source tokens that are translated together")
      ->check(CLI::PositiveNumber);
  add("--batch-wait", options.batch_wait, "milliseconds that a sentence waits for others to join its batch");
  add("--queue-words", queue.waiting_tokens, "source tokens that may wait; more are refused with 503");
  add("--time-limit", options.time_limit, "seconds that a request may take");
  add("--request-time", options.request_time, "seconds in which a client must send its request");
  add("--char-limit", options.engine.characters, "most characters of a text");
  add("--answer-limit", options.answer_megabytes,
      "most megabytes of an answer with n-best lists and alignments")
      ->check(CLI::PositiveNumber);
  add("--body-limit", options.body_limit, "most bytes of a request's body");
  add("--stop-time", options.stop_time,
      "seconds in which the server stops; requests in progress are finished or, if late, refused");
  add("--queue-megabytes", options.queue_megabytes,
      "megabytes that texts in progress may need; more are refused with 503")
      ->check(CLI::PositiveNumber);
  add("--requests", options.http.threads, "most requests in progress at a time")
      ->check(CLI::Range(1, 10'000));
  add("--connections", options.http.connections, "most connections at a time");
  add("--cache", options.cache_megabytes, "megabytes for a cache of translations; 0: no cache");
}

void add_access(CLI::App& app, Options& options) {
  const std::string group = "Access";
  app.add_option("--host", options.http.host, "address to listen on; 0.0.0.0 or :: for all")->group(group);
  app.add_option("--port", options.http.port, "port to listen on; 0: any free port")
      ->group(group)
      ->check(CLI::Range(0, 65535));
  app.add_option("--api-keys", options.keys, "file with SHA-256 sums of keys, one per line: SUM NAME [RATE]")
      ->group(group);
  app.add_option("--rate", options.rate, "requests per minute for each key or address; 0: no limit")
      ->group(group)
      ->check(CLI::NonNegativeNumber);
  app.add_option("--allow-host", options.hosts,
                 "host name that clients may use besides localhost; may be given several times")
      ->group(group)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--cors", options.cors, "origin whose pages may send requests, or *")->group(group);
  app.add_flag("--behind-proxy", options.behind_proxy, "take clients' addresses from X-Forwarded-For")
      ->group(group);
  app.add_option("--tls-certificate", options.tls_certificate, "certificate chain, PEM")->group(group);
  app.add_option("--tls-key", options.tls_key, "private key, PEM")->group(group);
  app.add_flag("--quiet", options.quiet, "write no access log (stdout)")->group(group);
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>(app);
  options->engine.queue.workers = 0;
  app.footer(
      "  attune serve -m en-de=runs/en-de\n"
      "  curl -d q='Good morning.' -d source=en -d target=de http://127.0.0.1:5000/translate\n"
      "SIGHUP reloads models, keys and certificates; SIGTERM finishes the requests in progress and stops.");
  app.add_option("-m,--model", options->models, "model folder, or en-de=FOLDER; may be given several times")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option(
         "--runs", options->runs,
         "folder of a training run that the page shows, or of several runs; may be given several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_precision_option(app, options->precision);
  add_access(app, *options);
  add_limits(app, *options);
  const SearchOptions defaults;
  static const std::map<std::string, char> letters{{"beam_size", 'b'}, {"normalize", 'n'}};
  options->search.add(fields_of(defaults), {"Search (the model folders may set other defaults)"}, letters,
                      {"alignment", "n_best"});
  return [options] { run(*options); };
}

const RegisterVerb registered{{"serve", "serve models over HTTP, with LibreTranslate's interface", set_up}};

}  // namespace
}  // namespace attune::cli
