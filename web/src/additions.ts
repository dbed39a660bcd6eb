// What a page adds that has an engine of its own. A page that asks a server, or nobody, adds nothing.
import type { App, ViewName } from "./app";

export interface Additions {
  // In the place of the network.
  fetch(path: string, init: RequestInit): Promise<Response>;
  // Before anything is asked.
  begin?(app: App, root: HTMLElement): Promise<void>;
  // In the words of the one who was asked.
  told?(message: string): string;
  // Above each view.
  notice?(): HTMLElement | null;
  views: Partial<Record<ViewName, (app: App) => HTMLElement>>;
  shows(app: App, view: ViewName): boolean;
}

export const additions: Additions = { fetch: (path, init) => fetch(path, init), views: {}, shows: (_, view) => view !== "learn" };
