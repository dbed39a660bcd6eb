// A worker in a browser, from a program that the page has.
import type { Launch } from "./engine";

export function inBrowser(program: string): Launch {
  return (hear, failed) => {
    const address = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
    const worker = new Worker(address);
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      failed(event.message || "the engine's worker cannot start");
    };
    return {
      post: (message) => worker.postMessage(message),
      end() {
        worker.terminate();
        URL.revokeObjectURL(address);
      },
    };
  };
}
