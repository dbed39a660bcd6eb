// Something that is done again and again while the page can be seen.

const SECONDS_BETWEEN = 5;

// Begins at once. Returns what ends it; an action that is under way gets an aborted signal.
export function repeat(action: (signal: AbortSignal) => Promise<void>): () => void {
  const end = new AbortController();
  let clock: number | undefined;
  let acting = false;
  const act = async () => {
    clearTimeout(clock);
    if (acting || document.hidden) return;
    acting = true;
    await action(end.signal);
    acting = false;
    if (!end.signal.aborted) clock = window.setTimeout(act, 1000 * SECONDS_BETWEEN);
  };
  document.addEventListener("visibilitychange", act, { signal: end.signal });
  void act();
  return () => {
    clearTimeout(clock);
    end.abort();
  };
}
