// Pages: the documents that make up the site, in the order in which its navigation shows them.
//
// DOCS-PAGES-1  docs/README.md is the table of contents: a chapter is a heading of the second level, and its pages
//     are the documents that are linked below it. Every other document has a page that links lead to.
// DOCS-PAGES-2  An address follows from the path alone, so that links between documents are links between pages.

import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The table of contents, and the first page. */
export const CONTENTS = "docs/README.md";

export interface DocumentPage {
  /** The file, from the top of the repository. */
  readonly path: string;
  /** What the table of contents calls it. */
  readonly title: string;
  /** Its address below /docs/. */
  readonly address: string;
}

export interface Chapter {
  readonly title: string;
  readonly pages: readonly DocumentPage[];
}

const LINK = /\[([^\]]+)\]\(([^)#\s]+\.md)\)/g;

/** DOCS-PAGES-1. */
export function chaptersOf(contents: string): readonly Chapter[] {
  const seen = new Set<string>();
  return contents
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = "", ...lines] = part.split("\n");
      const pages = [...lines.join("\n").matchAll(LINK)].map(([, name = "", target = ""]) => {
        const path = posix.normalize(posix.join("docs", target));
        return { path, title: name.replaceAll("`", ""), address: addressOf(path) };
      });
      return { title, pages: pages.filter(({ path }) => !seen.has(path) && seen.add(path)) };
    })
    .filter(({ pages }) => pages.length > 0);
}

export const readChapters = (): readonly Chapter[] =>
  chaptersOf(readFileSync(join(repository, CONTENTS), "utf8"));

/** Documents that no chapter names: single system calls, the changelog. */
export function otherPages(chapters: readonly Chapter[]): readonly DocumentPage[] {
  const named = new Set([
    CONTENTS,
    ...chapters.flatMap(({ pages }) => pages.map(({ path }) => path)),
  ]);
  return globSync(
    ["docs/*.md", "docs/man/*.md", "examples/*/README.md", "CHANGELOG.md", "CONTRIBUTING.md"],
    {
      cwd: repository,
    },
  )
    .filter((path) => !named.has(path))
    .sort()
    .map((path) => {
      const [, heading = path] =
        /^# (.+)$/m.exec(readFileSync(join(repository, path), "utf8")) ?? [];
      return { path, title: heading.replaceAll("`", ""), address: addressOf(path) };
    });
}

/** DOCS-PAGES-2. */
export function addressOf(path: string): string {
  if (path === CONTENTS) return "index.html";
  const example = /^examples\/([^/]+)\/README\.md$/.exec(path);
  if (example !== null) return `examples/${example[1]!}.html`;
  if (path === "examples/README.md") return "examples/index.html";
  const name = path.replace(/^docs\//, "").replace(/\.md$/, "");
  return `${name.replace(/README$/, "index").replace(/^[A-Z]+$/, (word) => word.toLowerCase())}.html`;
}
