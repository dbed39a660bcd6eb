// What is larger than its place scrolls by itself, also with the keyboard.
import type { App } from "./app";

// `parts`: of `whole`, whose size is watched; what comes back looks again, for a frame that stays while it is filled.
export function reachable(app: App, whole: HTMLElement, parts: () => Iterable<HTMLElement> = () => [whole]): () => void {
  const look = () => {
    for (const part of parts()) part.tabIndex = part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight + 1 ? 0 : -1;
  };
  const observer = new ResizeObserver(look);
  observer.observe(whole);
  app.onLeave(() => observer.disconnect());
  return look;
}
