// Layout: a page of the site around the HTML of a document: navigation, search, headings, and the pages before and
// after it. It reads without scripts (then the first page is the navigation), and from a folder of files as from the
// daemon.

import { posix } from "node:path";
import { escapeText } from "./highlight.ts";
import type { RenderedPage } from "./markdown.ts";
import type { Chapter, DocumentPage } from "./pages.ts";

interface Place {
  readonly page: DocumentPage;
  readonly rendered: RenderedPage;
  readonly chapters: readonly Chapter[];
  readonly version: string;
}

export function layOut({ page, rendered, chapters, version }: Place): string {
  const to = (address: string) => posix.relative(posix.dirname(page.address), address);
  const all = chapters.flatMap(({ pages }) => pages);
  const at = all.findIndex(({ path }) => path === page.path);
  const beside = [
    [all[at - 1], "prev", "Before"],
    [at < 0 ? all[0] : all[at + 1], "next", "Next"],
  ] as const;
  return `<!doctype html>
<html lang="en" data-root="${escapeText(to("") || ".")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(rendered.title)} · Agent OS</title>
<link rel="icon" href="${to("assets/favicon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${to("assets/site.css")}">
<script src="${to("assets/pages.js")}" defer></script>
<script src="${to("assets/site.js")}" defer></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="brand" href="${to("index.html")}">Agent OS <small>${escapeText(version)}</small></a>
<div class="search" role="search">
<input type="search" placeholder="Search the documentation" aria-label="Search the documentation" aria-controls="results" autocomplete="off" disabled>
<div id="results" hidden></div>
</div>
<button type="button" class="theme" hidden>Theme</button>
</header>
<div class="columns">
<nav aria-label="Pages" data-page="${page.address}"><p><a href="${to("index.html")}">All pages</a></p></nav>
<main id="text">
${rendered.html}
<footer>${beside.map(([one, rel, word]) => (one === undefined ? "" : `<a rel="${rel}" href="${to(one.address)}"><small>${word}</small> ${escapeText(one.title)}</a>`)).join("")}</footer>
</main>
${headingsOf(rendered)}
</div>
</body>
</html>
`;
}

/** What site.js shows as navigation: written once, and not in each of a hundred pages. */
export const pagesScript = (chapters: readonly Chapter[]): string =>
  `globalThis.docsPages = ${JSON.stringify(
    chapters.map(({ title, pages }) => [title, pages.map((one) => [one.title, one.address])]),
  )};\n`;

function headingsOf({ sections }: RenderedPage): string {
  const shown = sections.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 3) return "<aside></aside>";
  const rows = shown.map(
    ({ anchor, heading, level }) =>
      `<li class="level-${level}"><a href="#${escapeText(anchor)}">${escapeText(heading)}</a></li>`,
  );
  return `<aside aria-label="On this page"><h2>On this page</h2><ul>${rows.join("")}</ul></aside>`;
}
