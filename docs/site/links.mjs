// Where the links of a page lead once it is part of the site.
import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

const ELSEWHERE = /^(https?:|mailto:|#)/;

export const html = file => file.replace(/\.md$/, ".html");

// A heading's name as GitHub makes it: `Long text` is #long-text, `rnn`: a is #rnn-a.
export const slug = text =>
  text.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");

// `from` and the result are relative to the root. undefined: it leads out of the site.
export class Links {
  copied = new Set();
  broken = [];
  anchors = new Map();  // of each page
  asked = [];           // {from, address, target, anchor}

  constructor(root, pages) {
    this.root = root;
    this.pages = new Set(pages);
  }

  has(page, anchor) {
    this.anchors.set(page, (this.anchors.get(page) ?? new Set()).add(anchor));
  }

  // Once all pages are made.
  lostAnchors() {
    return this.asked.filter(({ target, anchor }) => !this.anchors.get(target)?.has(anchor)).map(({ from, address }) => `${from}: ${address}`);
  }

  resolve(from, address) {
    if (address.startsWith("#")) this.asked.push({ from, address, target: from, anchor: decodeURIComponent(address.slice(1)) });
    if (ELSEWHERE.test(address)) return address;
    const [path, anchor] = address.split("#");
    let target = normalize(join(dirname(from), decodeURIComponent(path)));
    const full = join(this.root, target);
    if (!existsSync(full)) {
      this.broken.push(`${from}: ${address}`);
      return undefined;
    }
    if (statSync(full).isDirectory()) target = this.readme(target, from);
    if (!target) return undefined;
    if (!this.pages.has(target)) this.copied.add(target);
    if (anchor && this.pages.has(target)) this.asked.push({ from, address, target, anchor: decodeURIComponent(anchor) });
    return relative(dirname(from), html(target)) + (anchor ? `#${anchor}` : "");
  }

  // A folder stands for its README, in the language of the page if there is one.
  readme(folder, from) {
    const names = from.endsWith(".zh-CN.md") ? ["README.zh-CN.md", "README.md"] : ["README.md"];
    return names.map(name => join(folder, name)).find(file => this.pages.has(file));
  }
}
