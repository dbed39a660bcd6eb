// attune serve: model folders as a service over HTTP.
#include <fmt/core.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <future>
#include <memory>

#include "attune/error.h"
#include "attune/threads.h"
#include "cli/config_options.h"
#include "cli/verb.h"
#include "io/file.h"
#include "serve/http_server.h"
#include "serve/run_places.h"
#include "serve/service.h"

namespace attune::cli {
namespace {

constexpr int kInterrupted = 130;

struct Options {
  explicit Options(CLI::App& app) : search(app) {}

  std::vector<std::string> models, runs;
  std::string keys, cors;
  bool quiet = false, behind_proxy = false;
  double time_limit = 30, batch_wait = 3, request_time = 10;
  int64_t body_limit = 256 << 10, rate = 0, cache_megabytes = 0, answer_megabytes = 16;
  serve::HttpServerOptions http;
  serve::EngineOptions engine;
  ConfigOptions search;
};

std::chrono::microseconds milliseconds(double count) {
  return std::chrono::microseconds(static_cast<int64_t>(1000 * count));
}

// All signals that mean something here are taken by one thread that waits for them; no handler runs in the
// middle of a kernel.
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

// A connection is a descriptor: as many as the system lets us have.
void raise_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The server goes on also where nobody can read its messages.
void say(const std::string& message) { std::fputs(("attune: " + message + "\n").c_str(), stderr); }

void reload(serve::Engine& engine) {
  try {
    engine.reload();
    say("the models were loaded again");
  } catch (const std::exception& error) {
    say(fmt::format("{}; the models stay as they were", error.what()));
  }
}

void run(Options& options) {
  if (options.http.tls_certificate.empty() != options.http.tls_key.empty())
    throw UsageError("serve: --tls-certificate and --tls-key belong together");
  const Signals signals;
  raise_descriptors();
  auto& engine_options = options.engine;
  for (const std::string& model : options.models)
    engine_options.models.push_back(serve::parse_model_place(model));
  engine_options.runs = serve::run_places(options.runs);
  engine_options.search = options.search.entries();
  if (engine_options.queue.workers == 0) engine_options.queue.workers = threads();
  engine_options.queue.wait = milliseconds(options.batch_wait);
  engine_options.time_limit =
      std::chrono::ceil<std::chrono::milliseconds>(milliseconds(1000 * options.time_limit));
  engine_options.cache_bytes = static_cast<size_t>(options.cache_megabytes) << 20;
  engine_options.answer_bytes = static_cast<size_t>(options.answer_megabytes) << 20;
  engine_options.keys_needed = !options.keys.empty();
  serve::ServiceOptions service_options{.rate = options.rate,
                                        .cors = options.cors,
                                        .behind_proxy = options.behind_proxy,
                                        .log = options.quiet ? nullptr : stdout};
  if (!options.keys.empty())
    service_options.keys = serve::ApiKeys::parse(read_file(options.keys), options.keys);
  options.http.limits.body = static_cast<size_t>(options.body_limit);
  options.http.times.request =
      std::chrono::ceil<std::chrono::milliseconds>(milliseconds(1000 * options.request_time));
  std::setvbuf(stdout, nullptr, _IOLBF, 0);

  serve::Metrics metrics;
  serve::Engine engine(engine_options, metrics);
  serve::Service service(service_options, engine, metrics);
  serve::HttpServer server(options.http, service);
  for (const auto& model : engine.table()->models())
    say(fmt::format("{} ({}, {} parameters)", model->name(), model->type(), model->parameters()));
  say(fmt::format("listening at {}://{}:{}", options.http.tls_key.empty() ? "http" : "https",
                  options.http.host, server.port()));

  auto running = std::async(std::launch::async, [&] { server.run(); });
  bool stopped = false;
  while (running.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    const int signal = signals.next();
    if (signal == SIGHUP) reload(engine);
    if (signal != SIGINT && signal != SIGTERM) continue;
    if (stopped) _exit(kInterrupted);
    say("stopping; requests under way are finished");
    server.stop();
    stopped = true;
  }
  running.get();
}

void add_limits(CLI::App& app, Options& options) {
  const std::string group = "Load";
  auto& queue = options.engine.queue;
  const auto add = [&](const char* name, auto& value, const char* help) {
    return app.add_option(name, value, help)->group(group)->check(CLI::NonNegativeNumber);
  };
  add("--cpu-threads", queue.workers, "threads that translate; 0: one a core");
  add("--mini-batch-words", queue.batch_tokens, "source tokens that are translated together")
      ->check(CLI::PositiveNumber);
  add("--batch-wait", options.batch_wait, "milliseconds that a sentence waits for others");
  add("--queue-words", queue.waiting_tokens, "source tokens that may wait; more are refused with 503");
  add("--time-limit", options.time_limit, "seconds that a request may take");
  add("--request-time", options.request_time, "seconds in which a client has to send its request");
  add("--char-limit", options.engine.characters, "characters of a text");
  add("--answer-limit", options.answer_megabytes, "megabytes of an answer with n-best lists and alignments")
      ->check(CLI::PositiveNumber);
  add("--body-limit", options.body_limit, "bytes of a request's body");
  add("--requests", options.http.threads, "requests that are under way at a time")
      ->check(CLI::Range(1, 10'000));
  add("--connections", options.http.connections, "connections at a time");
  add("--cache", options.cache_megabytes, "megabytes for translations that are kept; 0: none");
}

void add_access(CLI::App& app, Options& options) {
  const std::string group = "Access";
  app.add_option("--host", options.http.host, "address to listen at; 0.0.0.0 or :: for all")->group(group);
  app.add_option("--port", options.http.port, "port to listen at; 0: any that is free")
      ->group(group)
      ->check(CLI::Range(0, 65535));
  app.add_option("--api-keys", options.keys, "file with SHA-256 sums of keys, one a line: SUM NAME [RATE]")
      ->group(group);
  app.add_option("--rate", options.rate, "requests a minute for each key or address; 0: any number")
      ->group(group)
      ->check(CLI::NonNegativeNumber);
  app.add_option("--cors", options.cors, "origin whose pages may ask, or *")->group(group);
  app.add_flag("--behind-proxy", options.behind_proxy, "clients' addresses are in X-Forwarded-For")
      ->group(group);
  app.add_option("--tls-certificate", options.http.tls_certificate, "certificate chain, PEM")->group(group);
  app.add_option("--tls-key", options.http.tls_key, "private key, PEM")->group(group);
  app.add_flag("--quiet", options.quiet, "write no access log (stdout)")->group(group);
}

Action set_up(CLI::App& app) {
  auto options = std::make_shared<Options>(app);
  options->engine.queue.workers = 0;
  app.footer(
      "  attune serve -m en-de=runs/en-de\n"
      "  curl -d q='Good morning.' -d source=en -d target=de http://127.0.0.1:5000/translate\n"
      "SIGHUP loads the folders again; SIGTERM finishes what is under way and ends.");
  app.add_option("-m,--model", options->models, "model folder, or en-de=FOLDER; may come several times")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--runs", options->runs,
                 "folder of a training run that the page shows; may come several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_access(app, *options);
  add_limits(app, *options);
  static SearchOptions defaults;
  static const std::map<std::string, char> letters{{"beam_size", 'b'}, {"normalize", 'n'}};
  options->search.add([](Fields& f) { defaults.fields(f); },
                      {"Search (defaults of the model folders come first)"}, letters,
                      {"alignment", "n_best"});
  return [options] { run(*options); };
}

const RegisterVerb registered{{"serve", "answer over HTTP, as LibreTranslate does", set_up}};

}  // namespace
}  // namespace attune::cli
