// File tools: read, write, append to, list and remove files of this machine, each under a grant for
// its path, and for what the path really leads to.

import { lstat, opendir, unlink } from "node:fs/promises";
import { type Dirent, existsSync } from "node:fs";
import { type Label, SysError, type Touch } from "@aos/protocol";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { withEntry, withFile, withFolder } from "./open-checked.ts";
import { filePath, folderPath } from "./path-text.ts";
import { decodeText, readBytes } from "./text.ts";

const DEFAULT_READ_BYTES = 65_536;
const MAX_READ_BYTES = 1_048_576;
/** The longest character of UTF-8: with less, a read might not get past one. */
const MIN_READ_BYTES = 4;
const MAX_ENTRIES = 10_000;
const DEFAULT_ENTRIES = 1000;

/** A count of bytes tells a process nothing that it did not know. */
const NOTHING_NEW: Label = { integrity: "trusted", secrecy: "public" };

const touchesFile =
  (verb: "read" | "write" | "list" | "remove") =>
  ({ path }: { path: string }): Touch[] => [{ kind: "file", resource: path, verb }];

export const fileRead = defineTool({
  name: "file.read",
  version: "1",
  description:
    "Read a text file. Gives `text`, and in `next` the offset where the rest begins, or null at the end.",
  input: z.strictObject({
    path: filePath,
    offset: z.number().int().nonnegative().default(0).describe("The first byte to read."),
    limit: z
      .number()
      .int()
      .min(MIN_READ_BYTES)
      .max(MAX_READ_BYTES)
      .default(DEFAULT_READ_BYTES)
      .describe("The most bytes to read."),
  }),
  effect: "read",
  sinks: () => [],
  touches: touchesFile("read"),
  run: ({ path, offset, limit }, context) =>
    withFile(path, "read", context, async (file) => {
      // One byte more than asked for says whether there is a rest.
      const bytes = await readBytes(file, offset, limit + 1);
      const hasRest = bytes.length > limit;
      const text = decodeText(bytes.subarray(0, limit), hasRest, path);
      return { text, next: hasRest ? offset + Buffer.byteLength(text) : null };
    }),
});

export const fileWrite = defineTool({
  name: "file.write",
  version: "1",
  description: "Write a text file whole, in place of what it held.",
  input: z.strictObject({ path: filePath, text: z.string() }),
  effect: "idempotent",
  // What was there is gone for good. Where there was nothing, nothing is lost.
  sinks: ({ path }) => (existsSync(path) ? ["destructive"] : ["write"]),
  touches: touchesFile("write"),
  run: ({ path, text }, context) =>
    withFile(path, "write", context, async (file) => {
      await file.truncate(0);
      await file.writeFile(text);
      await file.sync();
      return { bytes: Buffer.byteLength(text) };
    }),
  label: NOTHING_NEW,
});

export const fileAppend = defineTool({
  name: "file.append",
  version: "1",
  description: "Add one line to the end of a text file.",
  input: z.strictObject({
    path: filePath,
    line: z
      .string()
      .refine((line) => !/[\r\n]/.test(line), "one line, without a line break")
      .describe("The line, without its line break."),
  }),
  effect: "external",
  // External, because to do it twice is not to do it once. It goes no further than the file.
  sinks: () => ["write"],
  touches: touchesFile("write"),
  run: ({ path, line }, context) =>
    withFile(path, "append", context, async (file) => {
      const text = `${line}\n`;
      await file.appendFile(text);
      await file.sync();
      return { bytes: Buffer.byteLength(text) };
    }),
  label: NOTHING_NEW,
});

export const fileList = defineTool({
  name: "file.list",
  version: "1",
  description:
    "List what is in a folder: `entries` with `name` and `kind` (file, folder, link, other), by name. `cut` is true when there are more.",
  input: z.strictObject({
    path: folderPath,
    limit: z
      .number()
      .int()
      .positive()
      .max(MAX_ENTRIES)
      .default(DEFAULT_ENTRIES)
      .describe("The most entries to give."),
  }),
  effect: "read",
  sinks: () => [],
  touches: touchesFile("list"),
  run: ({ path, limit }, context) =>
    withFolder(path, "list", context, async (folder) => {
      const entries: { name: string; kind: string }[] = [];
      for await (const entry of await opendir(folder)) {
        if (entries.length > limit) break;
        entries.push({ name: entry.name, kind: kindOf(entry) });
      }
      const cut = entries.length > limit;
      return { entries: entries.slice(0, limit).sort(byName), cut };
    }),
});

export const fileRemove = defineTool({
  name: "file.remove",
  version: "1",
  description:
    "Remove a file, or a link and not what it leads to. `removed` is false when there was none.",
  input: z.strictObject({ path: filePath }),
  effect: "idempotent",
  sinks: () => ["destructive"],
  touches: touchesFile("remove"),
  run: ({ path }, context) =>
    withEntry(path, "remove", context, async (entry) => {
      const stats = await lstat(entry).catch(noneIfMissing);
      if (stats === undefined) return { removed: false };
      if (!stats.isFile() && !stats.isSymbolicLink())
        throw new SysError("EINVAL", `${path} is neither a file nor a link`);
      // If it was swapped for a folder since, the system refuses.
      await unlink(entry);
      return { removed: true };
    }),
  label: NOTHING_NEW,
});

function kindOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}

const byName = (a: { name: string }, b: { name: string }): number =>
  a.name < b.name ? -1 : Number(a.name > b.name);

function noneIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
