// The tools of the example: code that does not believe a model.
//
// A quote that is not on its page is left out; a report whose citations lead nowhere is not made; a report is published
// once, however often the daemon dies.

import { defineTool, z } from "agent-os";

const quoted = z.strictObject({
  source: z.string(),
  quotes: z.array(z.string()),
  invented: z.array(z.string()),
});

/** As a reader sees it: line breaks and marks of emphasis do not count. */
const plain = (text: string) => text.replace(/[*_`>#\s]+/g, " ").trim();

export const check = defineTool({
  name: "quotes.check",
  version: "1",
  description: "Which quotes are on the page, word for word.",
  input: z.strictObject({
    source: z.string(),
    page: z.string(),
    quotes: z.array(z.string()),
  }),
  output: quoted,
  effect: "read",
  run: async ({ source, page, quotes }) => {
    const words = plain(page);
    const isThere = (quote: string) => plain(quote) !== "" && words.includes(plain(quote));
    return {
      source,
      quotes: quotes.filter(isThere),
      invented: quotes.filter((quote) => !isThere(quote)),
    };
  },
});

export const make = defineTool({
  name: "report.make",
  version: "1",
  description: "A report with its sources below; each citation must lead to a source with quotes.",
  input: z.strictObject({
    title: z.string().min(1).max(200),
    text: z.string().min(1).max(20_000),
    /** Null is a folder among the pages. */
    sources: z.array(quoted.nullable()),
  }),
  output: z.strictObject({
    name: z.string(),
    text: z.string(),
    left_out: z.array(z.string()),
  }),
  effect: "read",
  run: async ({ title, text, sources }) => {
    const cited = [...new Set([...text.matchAll(/\[(\d+)\]/g)].map(([, nth]) => Number(nth)))];
    if (cited.length === 0) throw new Error("the report cites no source");
    const notes = cited
      .sort((a, b) => a - b)
      .map((nth) => {
        const source = sources[nth - 1];
        if (!source || source.quotes.length === 0)
          throw new Error(`the report cites [${nth}], which is no source with a quote`);
        return [`[${nth}] ${source.source}`, ...source.quotes.map((quote) => `    > ${quote}`)];
      });
    const name = title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "");
    return {
      name: name.slice(0, 60) || "report",
      text: `# ${title}\n\n${text}\n\n${notes.flat().join("\n")}\n`,
      left_out: sources.flatMap((source) =>
        (source?.invented ?? []).map((quote) => `${source!.source}: ${quote}`),
      ),
    };
  },
});

interface Entry {
  readonly key: string;
  readonly path: string;
}

export const publish = defineTool({
  name: "site.publish",
  version: "1",
  description: "Publish a text on the site: /work/site stands for it here.",
  input: z.strictObject({
    name: z.string().regex(/^[a-z0-9-]{1,60}$/),
    text: z.string().min(1).max(100_000),
  }),
  output: z.strictObject({ path: z.string() }),
  // The site knows keys: the same key again publishes nothing new. So a run that is killed here goes on by itself.
  effect: "idempotent",
  sinks: ["egress", "write"],
  touches: [
    { kind: "file", resource: "/work/site/{name}.md", verb: "write" },
    { kind: "file", resource: "/work/site/feed.json", verb: "read" },
    { kind: "file", resource: "/work/site/feed.json", verb: "write" },
  ],
  run: async ({ name, text }, context) => {
    const path = `/work/site/${name}.md`;
    const feed = JSON.parse((await context.read("/work/site/feed.json")).text) as Entry[];
    await context.write(path, text);
    if (!feed.some(({ key }) => key === context.key))
      await context.write(
        "/work/site/feed.json",
        `${JSON.stringify([...feed, { key: context.key, path }], undefined, 2)}\n`,
      );
    return { path };
  },
});
