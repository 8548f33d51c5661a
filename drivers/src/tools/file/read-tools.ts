// Tools that look at files: read, read many, list.

import { type Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { type DeviceContext, type Json, SysError } from "@aos/protocol";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import type { ProgramRunner } from "../program-runner.ts";
import { fileTouch, touchesFile } from "./file-args.ts";
import { type FileLocation, atLocation } from "./file-location.ts";
import { withFile, withFolder } from "./open-checked.ts";
import { filePath, folderPath } from "./path-text.ts";
import { decodeText, readFileBytes } from "./text.ts";

const DEFAULT_READ_BYTES = 65_536;
const MAX_READ_BYTES = 1_048_576;
/** The longest character of UTF-8: with less, a read might not get past one. */
const MIN_READ_BYTES = 4;
const MAX_ENTRIES = 10_000;
const DEFAULT_ENTRIES = 1000;
const MAX_FILES = 50;
const MAX_DEPTH = 20;

export const createReadTools = (runner: ProgramRunner) => [
  defineTool({
    name: "file.read",
    version: "1",
    description:
      "Read a text file. Gives `text`, and in `next` the offset where the rest begins, or null at the end.",
    tags: ["file", "text"],
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
      atLocation(runner, context, [path], (place) => readText(place, path, offset, limit)),
  }),
  defineTool({
    name: "file.read_many",
    version: "1",
    description:
      "Read several text files. Gives `files`, each with `text` or `error`; `left` names those that did not fit.",
    tags: ["file", "text"],
    input: z.strictObject({
      paths: z.array(filePath).min(1).max(MAX_FILES),
      limit: z
        .number()
        .int()
        .min(MIN_READ_BYTES)
        .max(4 * MAX_READ_BYTES)
        .default(4 * DEFAULT_READ_BYTES)
        .describe("The most bytes to read, of all together."),
    }),
    effect: "read",
    sinks: () => [],
    touches: ({ paths }) => paths.map((path) => fileTouch("read", path)),
    run: ({ paths, limit }, context) =>
      atLocation(runner, context, paths, (place) => readMany(place, paths, limit)),
  }),
  defineTool({
    name: "file.list",
    version: "1",
    description:
      "List what is in a folder: `entries` with `name` and `kind` (file, folder, link, other), by name. `cut` is true when there are more.",
    tags: ["file", "folder"],
    input: z.strictObject({
      path: folderPath,
      depth: z
        .number()
        .int()
        .min(1)
        .max(MAX_DEPTH)
        .default(1)
        .describe("How many folders deep; names below have a slash."),
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
    run: ({ path, depth, limit }, context) =>
      atLocation(runner, context, [path], (place) => list(place, context, { path, depth, limit })),
  }),
];

const readText = (place: FileLocation, path: string, offset: number, limit: number) =>
  withFile(place.machine(path), "read", place.gate, async (file) => {
    // One byte more than asked for says whether there is a rest.
    const bytes = await readFileBytes(file, offset, limit + 1);
    const hasRest = bytes.length > limit;
    const text = decodeText(bytes.subarray(0, limit), hasRest, path);
    return { text, next: hasRest ? offset + Buffer.byteLength(text) : null };
  });

/** An unreadable file does not fail the others. */
async function readMany(
  place: FileLocation,
  paths: readonly string[],
  limit: number,
): Promise<{ files: Json[]; left: string[] }> {
  const files: Json[] = [];
  let room = limit;
  for (const [at, path] of paths.entries()) {
    if (room < MIN_READ_BYTES) return { files, left: paths.slice(at) };
    try {
      const { text, next } = await readText(place, path, 0, room);
      files.push({ path, text, ...(next === null ? {} : { next }) });
      room -= Buffer.byteLength(text);
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      const root = place.machine("/work");
      files.push({ path, error: `${error.code}: ${error.message.replaceAll(root, "/work")}` });
    }
  }
  return { files, left: [] };
}

interface Listing {
  readonly path: string;
  readonly depth: number;
  readonly limit: number;
}

/** Each folder on the way down is found, asked about and opened by itself; links are not followed. */
async function list(
  place: FileLocation,
  context: Pick<DeviceContext, "permits">,
  { path, depth, limit }: Listing,
): Promise<{ entries: { name: string; kind: string }[]; cut: boolean }> {
  const entries: { name: string; kind: string }[] = [];
  const look = async (folder: string, prefix: string, left: number): Promise<void> => {
    const inside: string[] = [];
    await withFolder(place.machine(folder), "list", place.gate, async (opened) => {
      for await (const entry of await opendir(opened)) {
        if (entries.length > limit) return;
        entries.push({ name: prefix + entry.name, kind: kindOf(entry) });
        if (left > 1 && entry.isDirectory()) inside.push(entry.name);
      }
    });
    for (const name of inside.sort()) {
      const below = `${folder === "/" ? "" : folder}/${name}`;
      if (!context.permits(fileTouch("list", below))) continue;
      await look(below, `${prefix}${name}/`, left - 1);
    }
  };
  await look(path, "", depth);
  const cut = entries.length > limit;
  return { entries: entries.slice(0, limit).sort(byName), cut };
}

function kindOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}

const byName = (a: { name: string }, b: { name: string }): number =>
  a.name < b.name ? -1 : Number(a.name > b.name);
