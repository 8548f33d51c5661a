// Tools that change files: write, append, edit, move, remove.

import { link, lstat, rename, rm, unlink } from "node:fs/promises";
import { type DeviceContext, SysError } from "@aos/protocol";
import { z } from "zod";
import { powerBelow } from "../../workspace/guard.ts";
import { defineTool } from "../define-tool.ts";
import type { ProgramRunner } from "../program-runner.ts";
import { applyEdits } from "./edit.ts";
import {
  canBeUndone,
  NOTHING_NEW,
  removing,
  replacing,
  fileTouch,
  touchesFile,
} from "./file-args.ts";
import { atLocation } from "./file-location.ts";
import { withEntry, withFile } from "./open-checked.ts";
import { foldersOf, makeFolders } from "./make-folders.ts";
import { filePath } from "./path-text.ts";
import { decodeText, readFileBytes } from "./text.ts";

const MAX_EDIT_BYTES = 16 * 1024 * 1024;
const MAX_EDITS = 100;

const tags = ["file", "text", "change"];

export const createChangeTools = (runner: ProgramRunner) => [
  defineTool({
    name: "file.write",
    version: "1",
    description:
      "Write a text file whole, in place of what it held; with `make`, the folders that it needs too.",
    tags,
    input: z.strictObject({ path: filePath, text: z.string(), make: z.boolean().default(false) }),
    effect: "idempotent",
    sinks: ({ path }, place) => replacing(path, place),
    touches: touchesFile("write"),
    mayTouch: ({ path, make }) =>
      make ? foldersOf(path).map((one) => fileTouch("write", one)) : [],
    undo: "workspace",
    isUndoable: ({ path }, place) => canBeUndone(path, place),
    run: ({ path, text, make }, context) =>
      atLocation(runner, context, [path], async (place) => {
        if (make) await makeFolders(place, path);
        return withFile(place.machine(path), "write", place.gate, async (file) => {
          await file.truncate(0);
          await file.writeFile(text);
          await file.sync();
          return { bytes: Buffer.byteLength(text) };
        });
      }),
    label: NOTHING_NEW,
  }),
  defineTool({
    name: "file.append",
    version: "1",
    description: "Add one line to the end of a text file.",
    tags,
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
    undo: "workspace",
    isUndoable: ({ path }, place) => canBeUndone(path, place),
    run: ({ path, line }, context) =>
      atLocation(runner, context, [path], (place) =>
        withFile(place.machine(path), "append", place.gate, async (file) => {
          const text = `${line}\n`;
          await file.appendFile(text);
          await file.sync();
          return { bytes: Buffer.byteLength(text) };
        }),
      ),
    label: NOTHING_NEW,
  }),
  defineTool({
    name: "file.edit",
    version: "1",
    description:
      "Replace exact pieces of a text file. Each `old` must be there exactly once, or with `all` at least once; otherwise nothing is changed. The file has at most 16 MiB before and after.",
    tags,
    input: z.strictObject({
      path: filePath,
      edits: z
        .array(
          z.strictObject({
            old: z.string().min(1),
            new: z.string(),
            all: z.boolean().default(false),
          }),
        )
        .min(1)
        .max(MAX_EDITS),
    }),
    // A second run finds nothing to replace, or something else: it is not the same as one.
    effect: "external",
    sinks: ({ path }, place) => replacing(path, place),
    touches: ({ path }) => [fileTouch("read", path), fileTouch("write", path)],
    undo: "workspace",
    isUndoable: ({ path }, place) => canBeUndone(path, place),
    run: ({ path, edits }, context) =>
      atLocation(runner, context, [path], async (place) => {
        const before = await withFile(place.machine(path), "read", place.gate, async (file) => {
          const bytes = await readFileBytes(file, 0, MAX_EDIT_BYTES + 1);
          if (bytes.length > MAX_EDIT_BYTES)
            throw new SysError("EINVAL", `${path} has more than ${MAX_EDIT_BYTES} bytes`);
          return decodeText(bytes, false, path);
        });
        const after = applyEdits(before, edits, MAX_EDIT_BYTES);
        if (Buffer.byteLength(after) > MAX_EDIT_BYTES)
          throw new SysError("EINVAL", `${path} would have more than ${MAX_EDIT_BYTES} bytes`);
        return withFile(place.machine(path), "write", place.gate, async (file) => {
          await file.truncate(0);
          await file.writeFile(after);
          await file.sync();
          return { edits: edits.length, bytes: Buffer.byteLength(after) };
        });
      }),
  }),
  defineTool({
    name: "file.move",
    version: "1",
    description:
      "Move or rename a file. What is at the new place is replaced only with `replace`. Both places are on one disk.",
    tags,
    input: z.strictObject({ from: filePath, to: filePath, replace: z.boolean().default(false) }),
    effect: "external",
    sinks: ({ from, to, replace }, place) =>
      replace ? replacing(to, place) : removing(from, place),
    touches: ({ from, to }) => [
      fileTouch("read", from),
      fileTouch("remove", from),
      fileTouch("write", to),
    ],
    undo: "workspace",
    isUndoable: ({ from, to }, place) => canBeUndone(from, place) && canBeUndone(to, place),
    run: ({ from, to, replace }, context) =>
      atLocation(runner, context, [from, to], (place) =>
        withEntry(place.machine(from), "remove", place.gate, (old) =>
          withEntry(place.machine(to), "write", place.gate, async (made) => {
            const stats = await lstat(old);
            if (!stats.isFile()) throw new SysError("EINVAL", `${from} is not a regular file`);
            if (replace) await rename(old, made);
            else await moveToFree(old, made, to);
            return { moved: true };
          }),
        ),
      ),
    label: NOTHING_NEW,
  }),
  defineTool({
    name: "file.remove",
    version: "1",
    description:
      "Remove a file, or a link and not what it leads to; a folder and all in it with `recursive`. `removed` is false when there was none.",
    tags,
    input: z.strictObject({ path: filePath, recursive: z.boolean().default(false) }),
    effect: "idempotent",
    sinks: ({ path }, place) => removing(path, place),
    touches: touchesFile("remove"),
    undo: "workspace",
    isUndoable: ({ path }, place) => canBeUndone(path, place),
    run: ({ path, recursive }, context) =>
      atLocation(runner, context, [path], (place) =>
        withEntry(place.machine(path), "remove", place.gate, async (entry) => {
          const stats = await lstat(entry).catch(noneIfMissing);
          if (stats === undefined) return { removed: false };
          if (stats.isDirectory() && recursive) {
            if (!canBeUndone(path, context)) await authorizeBelow(path, entry, context);
            await rm(entry, { recursive: true });
            return { removed: true };
          }
          if (!stats.isFile() && !stats.isSymbolicLink())
            throw new SysError(
              "EINVAL",
              `${path} is neither a file nor a link`,
              stats.isDirectory() ? { hint: "remove a folder with recursive: true" } : {},
            );
          // If it was swapped for a folder since, the system refuses.
          await unlink(entry);
          return { removed: true };
        }),
      ),
    label: NOTHING_NEW,
  }),
];

/** What has power in a folder is asked about by itself: who may remove the folder may not remove that. */
async function authorizeBelow(path: string, entry: string, context: DeviceContext): Promise<void> {
  for (const below of await powerBelow(entry))
    context.authorize({ kind: "file", resource: `${path}/${below}`, verb: "remove" });
}

/** A second name, which the system gives only where there is none, and then without the first. */
async function moveToFree(old: string, made: string, to: string): Promise<void> {
  try {
    await link(old, made);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST")
      throw new SysError("EEXIST", `${to} already exists`, {
        hint: "replace it with replace: true",
      });
    if (code === "EXDEV")
      throw new SysError("EINVAL", "the two paths are on different file systems");
    throw error;
  }
  await unlink(old);
}

function noneIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
