// SearchIndex: every section of every page, as the index that the browser loads with the first search. It is a script
// and not JSON, because a browser that reads the site from files may load the one and not the other.

import MiniSearch from "minisearch";
import type { RenderedPage } from "./markdown.ts";
import type { DocumentPage } from "./pages.ts";

/** What the index is made with; the browser is given the same to read it with. */
const SEARCH_OPTIONS = {
  fields: ["title", "heading", "text"],
  storeFields: ["title", "heading", "lead"],
};

export function searchScript(pages: readonly (readonly [DocumentPage, RenderedPage])[]): string {
  const index = new MiniSearch(SEARCH_OPTIONS);
  index.addAll(
    pages.flatMap(([{ address, title }, { sections }]) =>
      sections.map(({ anchor, heading, text }, n) => ({
        id: n === 0 ? address : `${address}#${anchor}`,
        title,
        heading: n === 0 ? "" : heading,
        text,
        lead: text.replaceAll(/\s+/g, " ").trim().slice(0, 120),
      })),
    ),
  );
  const options = JSON.stringify(SEARCH_OPTIONS);
  return `globalThis.docsIndex = { options: ${options}, index: ${JSON.stringify(index)} };\n`;
}
