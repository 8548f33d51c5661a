// File tools: read, write and append to files of this machine, each under a grant for its path.

import type { FileHandle } from "node:fs/promises";
import { type Label, SysError, type Touch } from "@aos/protocol";
import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { plainPath, withPlainFile } from "./plain-file.ts";

const DEFAULT_READ_BYTES = 65_536;
const MAX_READ_BYTES = 1_048_576;
/** The longest character of UTF-8: with less, a read might not get past one. */
const MIN_READ_BYTES = 4;

/** A count of bytes tells a process nothing that it did not know. */
const NOTHING_NEW: Label = { integrity: "trusted", secrecy: "public" };

const touchesFile =
  (verb: "read" | "write") =>
  ({ path }: { path: string }): Touch[] => [{ kind: "file", resource: path, verb }];

export const fileRead = defineTool({
  name: "file.read",
  version: "1",
  description:
    "Read a text file. Gives `text`, and in `next` the offset where the rest begins, or null at the end.",
  input: z.strictObject({
    path: plainPath,
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
  touches: touchesFile("read"),
  run: ({ path, offset, limit }) =>
    withPlainFile(path, "read", async (file) => {
      // One byte more than asked for says whether there is a rest.
      const bytes = await readBytes(file, offset, limit + 1);
      const hasRest = bytes.length > limit;
      const text = decode(bytes.subarray(0, limit), hasRest, path);
      return { text, next: hasRest ? offset + Buffer.byteLength(text) : null };
    }),
});

export const fileWrite = defineTool({
  name: "file.write",
  version: "1",
  description: "Write a text file whole, in place of what it held.",
  input: z.strictObject({ path: plainPath, text: z.string() }),
  effect: "idempotent",
  touches: touchesFile("write"),
  run: ({ path, text }) =>
    withPlainFile(path, "write", async (file) => {
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
    path: plainPath,
    line: z
      .string()
      .refine((line) => !/[\r\n]/.test(line), "one line, without a line break")
      .describe("The line, without its line break."),
  }),
  effect: "external",
  touches: touchesFile("write"),
  run: ({ path, line }) =>
    withPlainFile(path, "append", async (file) => {
      const text = `${line}\n`;
      await file.appendFile(text);
      await file.sync();
      return { bytes: Buffer.byteLength(text) };
    }),
  label: NOTHING_NEW,
});

async function readBytes(file: FileHandle, offset: number, most: number): Promise<Buffer> {
  const bytes = Buffer.alloc(most);
  let got = 0;
  while (got < most) {
    const { bytesRead } = await file.read(bytes, got, most - got, offset + got);
    if (bytesRead === 0) break;
    got += bytesRead;
  }
  return bytes.subarray(0, got);
}

/** With a rest to come, a character that is cut in two is left to it. */
function decode(bytes: Buffer, hasRest: boolean, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: hasRest,
    });
  } catch {
    throw new SysError("EINVAL", `${path} is not UTF-8 text at this offset`);
  }
}
