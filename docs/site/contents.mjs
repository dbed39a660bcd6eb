// What the site has, in the order of its navigation.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// Pages of the guide in the order in which one needs them; those that are not named follow.
const GUIDE = ["train", "models", "data", "check", "translate", "attend", "attention-by-hand", "evaluate", "compare", "align",
  "vectors", "convert", "adapt", "quantize", "page"];

export const LANGUAGES = { en: ".md", zh: ".zh-CN.md" };

export const WORDS = {
  en: { course: "The course", guide: "The guide", more: "More", language: "中文", contents: "Contents", next: "Next", before: "Back",
    live: "The page of the demo, live", open: "open it alone", skip: "Skip to the text", title: "attune: course and guide" },
  zh: { course: "课程", guide: "指南", more: "其他", language: "English", contents: "目录", next: "下一页", before: "上一页",
    live: "演示程序的网页（可操作）", open: "单独打开", skip: "跳到正文", title: "attune：课程与指南" },
};

const numbered = (root, folder) => readdirSync(join(root, folder)).filter(name => /^\d+-[^.]*\.md$/.test(name)).sort();

function guide(root) {
  const there = readdirSync(join(root, "docs/guide")).filter(name => /^[^.]*\.md$/.test(name)).map(name => name.replace(/\.md$/, ""));
  return [...GUIDE.filter(name => there.includes(name)), ...there.filter(name => !GUIDE.includes(name)).sort()];
}

// {name, pages}: pages without their ending.
export function sections(root) {
  const stems = (folder, names) => names.map(name => `${folder}/${name.replace(/\.md$/, "")}`);
  return [
    { name: "course", pages: ["docs/course/README", ...stems("docs/course", numbered(root, "docs/course"))] },
    { name: "guide", pages: [...stems("docs/guide", guide(root)), "docs/serving", "docs/scaling", "examples/README"] },
    { name: "more", pages: ["README", "CONTRIBUTING", "CHANGELOG", "bench/README"] },
  ];
}

// All pages that are made: those of the navigation, recipes and decisions.
export function pages(root) {
  const listed = sections(root).flatMap(section => section.pages);
  const recipes = readdirSync(join(root, "examples")).map(name => `examples/${name}/README`);
  const decisions = numbered(root, "docs/decisions").map(name => `docs/decisions/${name.replace(/\.md$/, "")}`);
  return [...listed, ...recipes, ...decisions].flatMap(stem => Object.values(LANGUAGES).map(ending => stem + ending))
    .filter(file => existsSync(join(root, file)));
}

export const language = file => (file.endsWith(LANGUAGES.zh) ? "zh" : "en");
export const stem = file => file.replace(/(\.zh-CN)?\.md$/, "");

// In this language, or in English where there is no other.
export const variant = (files, of, wanted) => [of + LANGUAGES[wanted], of + LANGUAGES.en].find(file => files.has(file));

export const heading = (root, file) => readFileSync(join(root, file), "utf8").match(/^# (.*)$/m)?.[1].replace(/`/g, "") ?? file;
