// Builds the site of the course and the guide: plain files that need no network and no server.
//
//   node build.mjs FOLDER [PAGE.html]     PAGE.html: what `attune demo` wrote, to be embedded
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import katex from "@vscode/markdown-it-katex";
import MarkdownIt from "markdown-it";
import { heading, language, LANGUAGES, pages, sections, stem, variant, WORDS } from "./contents.mjs";
import { html, Links, slug } from "./links.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const out = resolve(process.argv[2] ?? join(root, "build/docs"));
const live = process.argv[3];
const files = new Set(pages(root));
const links = new Links(root, files);

const markdown = new MarkdownIt({ html: true, linkify: false }).use(katex.default ?? katex, { throwOnError: true });

const escaped = text => text.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

markdown.core.ruler.push("site", state => {
  const used = new Map();
  const rewrite = (token, name) => {
    const address = links.resolve(state.env.file, token.attrGet(name));
    if (address !== undefined) token.attrSet(name, address);
    return address !== undefined;
  };
  state.tokens.forEach((token, at) => {
    if (token.type === "heading_open") {
      const name = slug(state.tokens[at + 1].content), count = used.get(name) ?? 0;
      used.set(name, count + 1);
      token.attrSet("id", count ? `${name}-${count}` : name);
      links.has(state.env.file, token.attrGet("id"));
    }
    let outside = false;
    for (const child of token.children ?? []) {
      if (child.type === "image") rewrite(child, "src");
      else if (child.type === "link_open") outside = !rewrite(child, "href");
      if (outside && child.type.startsWith("link_")) {
        if (child.type === "link_close") outside = false;
        child.hidden = true;
        child.tag = "span";
        child.attrs = null;
      }
    }
  });
});
for (const [open, close] of [["table_open", "table_close"]]) {
  markdown.renderer.rules[open] = () => '<div class="wide" tabindex="0"><table>\n';
  markdown.renderer.rules[close] = () => "</table></div>\n";
}
for (const name of ["fence", "code_block", "math_block"]) {
  const rule = markdown.renderer.rules[name];
  markdown.renderer.rules[name] = (...args) => rule(...args).replace(/<pre>|<span class="katex-display">/, found => found.replace(">", ' tabindex="0">'));
}
const image = markdown.renderer.rules.image;
markdown.renderer.rules.image = (...args) => `<span class="picture" tabindex="0">${image(...args)}</span>`;

function navigation(file) {
  const wanted = language(file), words = WORDS[wanted];
  const item = page => {
    const target = variant(files, page, wanted);
    const here = target === file ? ' aria-current="page"' : "";
    return `<li><a href="${relative(dirname(file), html(target))}"${here}>${escaped(heading(root, target))}</a></li>`;
  };
  return sections(root).map(({ name, pages }) =>
    `<h2>${words[name]}</h2><ul>${pages.filter(page => variant(files, page, wanted)).map(item).join("")}</ul>`).join("");
}

function neighbours(file) {
  const wanted = language(file), words = WORDS[wanted], course = sections(root)[0].pages, at = course.indexOf(stem(file));
  if (at < 0) return "";
  const link = (page, word, rel) => {
    const target = page && variant(files, page, wanted);
    return target ? `<a rel="${rel}" href="${relative(dirname(file), html(target))}"><small>${word}</small>${escaped(heading(root, target))}</a>` : "<span></span>";
  };
  return `<nav class="neighbours">${link(course[at - 1], words.before, "prev")}${link(course[at + 1], words.next, "next")}</nav>`;
}

// In the course's first page and wherever a page asks for it: <!-- live: view=hand -->
function withLive(body, file) {
  const words = WORDS[language(file)];
  return body.replace(/<!-- live(?:: (\S+))? -->/g, (_, state) => {
    if (!live) return "";
    const address = `${relative(dirname(file), "live.html")}#${[`language=${language(file)}`, state].filter(Boolean).join("&amp;")}`;
    return `<figure class="live"><iframe src="${address}" title="${words.live}" loading="lazy"></iframe>` +
      `<figcaption>${words.live} · <a href="${address}">${words.open}</a></figcaption></figure>`;
  });
}

function page(file) {
  const wanted = language(file), words = WORDS[wanted], other = wanted === "en" ? "zh" : "en";
  const twin = files.has(stem(file) + LANGUAGES[other]) ? stem(file) + LANGUAGES[other] : variant(files, "docs/course/README", other);
  const up = relative(dirname(file), ".") || ".";
  const text = readFileSync(join(root, file), "utf8").replace(/^\[(中文|English)\]\([^)]*\)\n/m, "");  // the head of the page has it
  const body = markdown.render(text, { file });
  return `<!DOCTYPE html>
<html lang="${wanted === "zh" ? "zh-CN" : "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(heading(root, file))} · attune</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}/katex/katex.min.css">
<link rel="stylesheet" href="${up}/style.css">
</head>
<body>
<a class="skip" href="#text">${words.skip}</a>
<header><a class="name" href="${relative(dirname(file), html(variant(files, "docs/course/README", wanted)))}">attune</a>
<a lang="${other === "zh" ? "zh-CN" : "en"}" href="${relative(dirname(file), html(twin))}">${words.language}</a></header>
<details class="contents"><summary>${words.contents}</summary><nav>${navigation(file)}</nav></details>
<nav class="side" aria-label="${words.contents}">${navigation(file)}</nav>
<main id="text">
${withLive(body, file)}
${neighbours(file)}
</main>
</body>
</html>
`;
}

function write(name, content) {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  writeFileSync(join(out, name), content);
}

rmSync(out, { recursive: true, force: true });
for (const file of files) write(html(file), page(file));
for (const file of links.copied) cpSync(join(root, file), join(out, file));
const katexFolder = join(dirname(createRequire(import.meta.url).resolve("katex")));
cpSync(join(katexFolder, "katex.min.css"), join(out, "katex/katex.min.css"));
cpSync(join(katexFolder, "fonts"), join(out, "katex/fonts"), { recursive: true, filter: name => !/\.(ttf|woff)$/.test(name) });
cpSync(join(here, "style.css"), join(out, "style.css"));
if (live) cpSync(live, join(out, "live.html"));
write("index.html", `<!DOCTYPE html><meta charset="utf-8"><title>${WORDS.en.title}</title>
<script>location.replace("docs/course/README" + (/^zh/.test(navigator.language) ? ".zh-CN" : "") + ".html")</script>
<p><a href="docs/course/README.html">${WORDS.en.title}</a> · <a href="docs/course/README.zh-CN.html" lang="zh-CN">${WORDS.zh.title}</a>
`);
const broken = [...links.broken, ...links.lostAnchors()];
if (broken.length) {
  console.error(`links that lead nowhere:\n  ${broken.join("\n  ")}`);
  process.exit(1);
}
console.log(`${files.size} pages: ${join(out, "index.html")}`);
