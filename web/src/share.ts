// Giving away what one sees: a link, a picture, the numbers, paper.
import type { App, Offer } from "./app";
import { copyText } from "./copy";
import { button, h } from "./dom";
import { svgFile, type Figure } from "./figure";
import { addressOf } from "./state";

const SHARPNESS = 2; // pixels of a PNG for each of the picture

export function save(name: string, content: Blob): void {
  const link = h("a", { href: URL.createObjectURL(content), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function pngOf(figure: Figure): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgFile(figure))}`;
  await image.decode();
  const canvas = h("canvas", { width: SHARPNESS * image.naturalWidth, height: SHARPNESS * image.naturalHeight });
  const context = canvas.getContext("2d")!;
  context.scale(SHARPNESS, SHARPNESS);
  context.drawImage(image, 0, 0);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("there is no PNG"))), "image/png"));
}

// Cells in lines, separated by tabs, as spreadsheets take them.
const tsv = (table: string[][]): string => table.map((row) => row.map((cell) => cell.replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n") + "\n";

export function shareBar(app: App, offer: Offer): HTMLElement {
  const said = h("output", { class: "said", "aria-live": "polite" });
  const tell = (text: string) => {
    said.textContent = text;
    setTimeout(() => said.textContent === text && (said.textContent = ""), 4000);
  };
  const copied = (text: string) => copyText(text).then(() => tell(app.t("copied")), () => tell(app.t("notCopied")));
  // Of a page from disk its name: where it lies on this machine is nobody's business.
  const place = location.protocol === "file:" ? location.pathname.replace(/^.*\//, "") : location.href.replace(/#.*$/, "");
  const address = () => place + addressOf(app.state);
  const { name, figure, table } = offer;
  return h(
    "footer",
    { class: "share" },
    button(app.t("share"), () => void copied(address()), { "data-action": "share", title: app.t("shareHelp") }),
    figure && button(app.t("saveSvg"), () => save(`${name}.svg`, new Blob([svgFile(figure())], { type: "image/svg+xml" })), { "data-action": "svg" }),
    figure && button(app.t("savePng"), () => void pngOf(figure()).then((png) => save(`${name}.png`, png)), { "data-action": "png" }),
    table && button(app.t("copyTsv"), () => void copied(tsv(table())), { "data-action": "tsv" }),
    button(app.t("print"), () => window.print(), { "data-action": "print" }),
    said,
  );
}
