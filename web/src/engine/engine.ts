// The engine in a worker, asked for one thing at a time. What is given up is really given up: the worker ends, and another
// one starts with the same files.
import type { Ask, EngineFile, Told } from "./messages";

// A worker that has been started, wherever.
export interface Port {
  post(message: object): void;
  end(): void;
}

// What hears the messages of the worker, and that it failed.
export type Launch = (hear: (told: Told) => void, failed: (message: string) => void) => Port;

export interface EngineParts {
  launch: Launch;
  module: WebAssembly.Module;
  files: EngineFile[];
  open: object | null; // what `open` takes; null: no models
}

// The engine, or what it was given, is not as it should be.
export class EngineFailure extends Error {}

interface Job {
  ask: Ask;
  signal?: AbortSignal;
  part(text: string): void;
  done(result: any): void;
  fail(error: unknown): void;
  givenUp: boolean;
}

const GRACE = 250; // milliseconds that something given up may take: a new worker takes about as long

export class Engine {
  private port: Port | null = null;
  private beginning = false;
  private failure: EngineFailure | null = null; // it cannot begin
  private running: Job | null = null;
  private readonly waiting: Job[] = [];
  private id = 0;

  constructor(private readonly parts: EngineParts) {}

  // Starts the worker and opens the models, as the first question would.
  async begin(): Promise<void> {
    await this.ask({ ask: "write", files: [] });
  }

  call(name: string, request: object, signal?: AbortSignal, part: (text: string) => void = () => undefined): Promise<any> {
    return this.ask({ ask: "call", name, json: JSON.stringify(request) }, signal, part);
  }

  // Files that stay only as long as this worker.
  write(files: EngineFile[]): Promise<void> {
    return this.ask({ ask: "write", files });
  }

  read(folder: string): Promise<EngineFile[]> {
    return this.ask({ ask: "read", folder });
  }

  remove(folder: string): Promise<void> {
    return this.ask({ ask: "remove", folder });
  }

  // Its memory is free again. The next question starts it anew.
  close(): void {
    this.failAll(new EngineFailure("the engine was closed"));
  }

  private ask(ask: Ask, signal?: AbortSignal, part: (text: string) => void = () => undefined): Promise<any> {
    return new Promise((done, fail) => {
      if (signal?.aborted) return fail(signal.reason);
      const job: Job = { ask, signal, part, done, fail, givenUp: false };
      signal?.addEventListener("abort", () => this.giveUp(job), { once: true });
      this.waiting.push(job);
      this.next();
    });
  }

  private giveUp(job: Job): void {
    job.fail(job.signal!.reason);
    job.givenUp = true;
    const place = this.waiting.indexOf(job);
    if (place >= 0) this.waiting.splice(place, 1);
    if (this.running !== job) return;
    setTimeout(() => {
      if (this.running !== job) return;
      this.end();
      this.next();
    }, GRACE);
  }

  private next(): void {
    if (this.running || this.beginning || this.waiting.length === 0) return;
    if (this.failure) return this.failAll(this.failure);
    if (!this.port) return this.start();
    this.running = this.waiting.shift()!;
    this.port.post({ ...this.running.ask, id: ++this.id });
  }

  private start(): void {
    const { launch, module, files, open } = this.parts;
    this.beginning = true;
    const own = (this.id += 1);
    const mine = () => this.port === port;
    const port: Port = launch(
      (told) => mine() && this.hear(told, own),
      (message) => mine() && this.broke(message),
    );
    this.port = port;
    port.post({ ask: "begin", module, files, open: open && JSON.stringify(open), id: own });
  }

  private hear(told: Told, begin: number): void {
    if (told.id === begin) {
      if ("error" in told) return this.broke(told.error);
      this.beginning = false;
      return this.next();
    }
    const job = this.running;
    if (!job || told.id !== this.id) return;
    if ("part" in told) return job.givenUp ? undefined : job.part(told.part);
    this.running = null;
    if ("result" in told) job.done(told.result);
    else {
      job.fail(new EngineFailure(told.error));
      if (told.dead) this.end();
    }
    this.next();
  }

  // A worker that cannot begin will not begin the next time; one that broke over a question is replaced.
  private broke(message: string): void {
    const failure = new EngineFailure(message);
    if (this.beginning) {
      this.failure = failure;
      return this.failAll(failure);
    }
    this.running?.fail(failure);
    this.end();
    this.next();
  }

  private end(): void {
    this.port?.end();
    this.port = null;
    this.running = null;
    this.beginning = false;
  }

  private failAll(error: EngineFailure): void {
    const jobs = [this.running, ...this.waiting.splice(0)];
    this.end();
    for (const job of jobs) job?.fail(error);
  }
}
