// The engine answers what a server would be asked, with a Response as a server's.
import { EngineFailure, type Engine } from "./engine";

export interface Answer {
  status: number;
  type: string;
  headers: Record<string, string>;
  body: string;
}

export interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

const WITHOUT_BODY = new Set([204, 205, 304]);

export const responseOf = ({ status, type, headers, body }: Answer): Response => new Response(WITHOUT_BODY.has(status) ? null : body, { status, headers: { "Content-Type": type, ...headers } });

// Resolves with the first part, or with the whole answer where there are none. Where the engine fails, so does the Response.
export function engineFetch(engine: Engine, path: string, { method = "GET", headers = {}, body = "", signal }: Asked = {}): Promise<Response> {
  const [place, query = ""] = path.split("?", 2);
  const small = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const encoder = new TextEncoder();
  let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  return new Promise((done, fail) => {
    const part = (text: string) => {
      if (!stream) {
        const parts = new ReadableStream<Uint8Array>({ start: (controller) => void (stream = controller) });
        done(new Response(parts, { status: 200, headers: { "Content-Type": "text/event-stream" } }));
      }
      stream!.enqueue(encoder.encode(text));
    };
    engine.call("answer", { method, path: place, query, body, headers: small }, signal, part).then(
      (answer: Answer) => (stream ? stream.close() : done(responseOf(answer))),
      (error) => {
        if (stream) stream.error(error);
        else if (error instanceof EngineFailure) done(responseOf({ status: 500, type: "application/json", headers: {}, body: JSON.stringify({ error: error.message }) }));
        else fail(error);
      },
    );
  });
}
