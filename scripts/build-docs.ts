// The documentation as a site of plain files, made of the Markdown of the repository. Takes a second, and no network.
//
//   node scripts/build-docs.ts      docs/dist, if a document is newer than it
//   buildDocs()                     says whether it had to
//
// BUILD-DOCS-1  A daemon may serve the site meanwhile: it is made beside the old one, and then takes its place.

import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { layOut, pagesScript } from "./docs-site/layout.ts";
import { renderPage } from "./docs-site/markdown.ts";
import { CONTENTS, addressOf, otherPages, readChapters, repository } from "./docs-site/pages.ts";
import { searchScript } from "./docs-site/search-index.ts";

const dist = join(repository, "docs", "dist");

/** What is copied beside the pages: a name of the site, and where it comes from. */
const ASSETS: Readonly<Record<string, string>> = {
  "site.css": "scripts/docs-site/site.css",
  "site.js": "scripts/docs-site/site.js",
  "minisearch.js": "node_modules/minisearch/dist/umd/index.js",
  "favicon.svg": "dashboard/public/favicon.svg",
  "inter.woff2": "node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  "mono.woff2":
    "node_modules/@fontsource/jetbrains-mono/files/jetbrains-mono-latin-400-normal.woff2",
};

export function buildDocs(): boolean {
  if (isFresh()) return false;
  const made = `${dist}.new-${process.pid}`;
  const former = `${dist}.old-${process.pid}`;
  try {
    writeSite(made);
    if (existsSync(dist)) renameSync(dist, former); // BUILD-DOCS-1
    renameSync(made, dist);
  } finally {
    for (const folder of [made, former]) rmSync(folder, { recursive: true, force: true });
  }
  return true;
}

export function writeSite(folder: string): void {
  const chapters = readChapters();
  const pages = [
    { path: CONTENTS, title: "Documentation", address: addressOf(CONTENTS) },
    ...chapters.flatMap(({ pages }) => pages),
    ...otherPages(chapters),
  ];
  const paths = new Set(pages.map(({ path }) => path));
  const rendered = pages.map(
    (page) =>
      [
        page,
        renderPage(page.path, readFileSync(join(repository, page.path), "utf8"), (path) =>
          paths.has(path),
        ),
      ] as const,
  );
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    version: string;
  };
  const write = (address: string, text: string) => {
    const file = join(folder, address);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const [page, html] of rendered)
    write(page.address, layOut({ page, rendered: html, chapters, version }));
  write("assets/pages.js", pagesScript(chapters));
  write("assets/search-index.js", searchScript(rendered));
  for (const [name, path] of Object.entries(ASSETS))
    cpSync(join(repository, path), join(folder, "assets", name));
  for (const image of new Set(rendered.flatMap(([, { images }]) => images)))
    cpSync(join(repository, image), join(folder, "images", basename(image)));
}

function isFresh(): boolean {
  const first = join(dist, "index.html");
  if (!existsSync(first)) return false;
  const sources = [
    ...globSync(
      [
        "*.md",
        "docs/*.{md,svg}",
        "docs/{man,images}/*",
        "examples/*/README.md",
        "scripts/docs-site/*",
      ],
      {
        cwd: repository,
      },
    ),
    "package.json",
    "scripts/build-docs.ts",
  ];
  const builtMs = statSync(first).mtimeMs;
  return sources.every((path) => statSync(join(repository, path)).mtimeMs <= builtMs);
}

if (import.meta.main) {
  const built = buildDocs();
  console.log(built ? "the documentation was built" : "the documentation is up to date");
}
