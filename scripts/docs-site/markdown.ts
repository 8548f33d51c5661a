// Markdown: a document as HTML, without a script, a style or an address outside the site in it.
//
// DOCS-MARKDOWN-1  A link to another page of the site leads to it. A link to a source file is its name: the site has
//     no sources.
// DOCS-MARKDOWN-2  Headings have the anchors that GitHub gives them, so that a link works in both places.
// DOCS-MARKDOWN-3  HTML in a document is text.

import { posix } from "node:path";
import MarkdownIt, { type Token } from "markdown-it";
import { escapeText, highlighted } from "./highlight.ts";
import { addressOf } from "./pages.ts";

/** A part of a page, below one heading: what a search finds. */
export interface Section {
  readonly anchor: string;
  readonly heading: string;
  readonly level: number;
  readonly text: string;
}

export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
  /** Files beside the documents that the page shows, by their paths in the repository. */
  readonly images: readonly string[];
}

const markdown = new MarkdownIt({ html: false, linkify: false });
markdown.renderer.rules["table_open"] = () => '<div class="wide" tabindex="0"><table>\n';
markdown.renderer.rules["table_close"] = () => "</table></div>\n";
markdown.renderer.rules["fence"] = (tokens, index) => {
  const { content, info } = tokens[index]!;
  const [language = ""] = info.trim().split(" ");
  return `<pre tabindex="0" data-language="${escapeText(language)}"><code>${highlighted(content, language)}</code></pre>\n`;
};

export function renderPage(
  path: string,
  source: string,
  isPage: (path: string) => boolean,
): RenderedPage {
  const images: string[] = [];
  const tokens = markdown.parse(source.replaceAll(/<!--.*?-->/gs, ""), {});
  anchorHeadings(tokens);
  for (const token of tokens) alignByClass(token);
  for (const token of tokens) redirect(token.children ?? [], { path, isPage, images });
  const sections = sectionsOf(tokens);
  return {
    title: sections[0]?.heading ?? path,
    html: markdown.renderer.render(tokens, markdown.options, {}),
    sections,
    images,
  };
}

/** The policy of the daemon's pages allows no inline style. */
function alignByClass(token: Token): void {
  const side = /text-align:(\w+)/.exec(String(token.attrGet("style") ?? ""))?.[1];
  if (side !== undefined) token.attrs = [["class", side]];
}

/** DOCS-MARKDOWN-2. */
function anchorHeadings(tokens: readonly Token[]): void {
  const taken = new Map<string, number>();
  tokens.forEach((token, index) => {
    if (token.type !== "heading_open") return;
    const plain = anchorOf(plainText(tokens[index + 1]));
    const count = taken.get(plain) ?? 0;
    taken.set(plain, count + 1);
    token.attrSet("id", count === 0 ? plain : `${plain}-${count}`);
  });
}

export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

interface Place {
  readonly path: string;
  readonly isPage: (path: string) => boolean;
  readonly images: string[];
}

/** DOCS-MARKDOWN-1. */
function redirect(tokens: Token[], { path, isPage, images }: Place): void {
  const from = posix.dirname(addressOf(path));
  const depth: boolean[] = [];
  for (const token of tokens) {
    if (token.type === "image") {
      const file = posix.normalize(
        posix.join(posix.dirname(path), String(token.attrGet("src") ?? "")),
      );
      images.push(file);
      token.attrSet("src", posix.relative(from, `images/${posix.basename(file)}`));
    } else if (token.type === "link_open") {
      const target = String(token.attrGet("href") ?? "");
      const address = addressOfLink(target, path, isPage);
      depth.push(address !== undefined);
      if (address === undefined) [token.tag, token.attrs] = ["span", null];
      else token.attrSet("href", address);
    } else if (token.type === "link_close" && depth.pop() === false) token.tag = "span";
  }
}

function addressOfLink(target: string, path: string, isPage: Place["isPage"]): string | undefined {
  if (/^(https?:|mailto:|#)/.test(target)) return target;
  const [file = "", anchor] = target.split("#", 2);
  const named = posix.normalize(posix.join(posix.dirname(path), file));
  const found = [named, posix.join(named, "README.md")].find((one) => isPage(one));
  if (found === undefined) return undefined;
  const address = posix.relative(posix.dirname(addressOf(path)), addressOf(found));
  return anchor === undefined ? address : `${address}#${anchor}`;
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: { anchor: string; heading: string; level: number; text: string }[] = [];
  tokens.forEach((token, index) => {
    if (token.type === "heading_open")
      sections.push({
        anchor: String(token.attrGet("id") ?? ""),
        heading: plainText(tokens[index + 1]),
        level: Number(token.tag.slice(1)),
        text: "",
      });
    else if (token.type === "inline" && tokens[index - 1]?.type !== "heading_open") {
      const section = sections.at(-1);
      if (section !== undefined) section.text += `${plainText(token)} `;
    } else if (token.type === "fence") {
      const section = sections.at(-1);
      if (section !== undefined) section.text += `${token.content} `;
    }
  });
  return sections;
}

const plainText = (token: Token | undefined): string =>
  (token?.children ?? [])
    .map(({ type, content }) => (type === "softbreak" ? " " : content))
    .join("");
