// Text from the command line: the text itself, @FILE, or - for standard input.
//
// READ-INPUT-1  Input that is not text becomes an attachment with its media type and is never mangled.
// READ-INPUT-2  Without input, piped data is the input: from a pipe or a file, never from a terminal or a device. It
//               is read to its end, however long that takes; empty data is no input. A socket, which other programs
//               often leave open, is read only if data arrives within a second.

import { existsSync, fstatSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { asAttachment } from "./attachments.ts";
import { SysError, type Json } from "@aos/protocol/words";

export async function readText(given: string): Promise<string> {
  if (given === "-") return (await stdinBytes()).toString("utf8");
  if (!given.startsWith("@")) return given;
  return readBytes(given.slice(1)).toString("utf8");
}

/** An input as a word of the command line: text, or JSON with the bytes of what is no text (READ-INPUT-1). */
export async function readInput(given: string): Promise<Json> {
  if (given === "-") return withoutLastBreak(inputOf(await stdinBytes(), "standard input"));
  if (!given.startsWith("@")) return given;
  const file = given.slice(1);
  return inputOf(readBytes(file), basename(file));
}

/** The same, where a word that begins with @ is only a file if there is one. */
export async function readWord(given: string): Promise<Json> {
  return given.startsWith("@") && !existsSync(given.slice(1)) ? given : readInput(given);
}

/** READ-INPUT-2. Undefined where nothing is piped in. */
export async function readPiped(note: (text: string) => void): Promise<Json | undefined> {
  const kind = stdinKind();
  if (kind === "none") return undefined;
  if (kind === "socket" && !(await beginsSoon())) {
    note("standard input is empty: starting without input; pass - as the input to wait for it");
    return undefined;
  }
  const timer = setTimeout(
    () => note("reading the input from standard input; add < /dev/null to start without input"),
    NOTE_AFTER_MS,
  );
  const bytes = await stdinBytes();
  clearTimeout(timer);
  return bytes.length === 0 ? undefined : withoutLastBreak(inputOf(bytes, "standard input"));
}

const NOTE_AFTER_MS = 2000;

function stdinKind(): "pipe" | "socket" | "none" {
  try {
    const stat = fstatSync(0);
    if (stat.isFIFO() || stat.isFile()) return "pipe";
    return stat.isSocket() ? "socket" : "none";
  } catch {
    return "none"; // it is closed
  }
}

/** Whether something of standard input, or its end, is there within a moment. */
function beginsSoon(): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      process.stdin.destroy();
      resolve(false);
    }, SOCKET_WAIT_MS);
    process.stdin.once("readable", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

const SOCKET_WAIT_MS = 1000;

/** READ-INPUT-1. */
function inputOf(bytes: Uint8Array, name: string): Json {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { text: "", attachments: [asAttachment(name, bytes)] as unknown as Json };
  }
}

/** `echo` and our own output end with one that nobody meant. */
const withoutLastBreak = (input: Json): Json =>
  typeof input === "string" ? input.replace(/\r?\n$/, "") : input;

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new SysError("EINVAL", `cannot read ${file}: ${(error as Error).message}`, {
      hint: "@ names a file; pipe the text and pass - to send it literally",
    });
  }
}

/** Piece by piece: a pipe whose writer is slower than we are has nothing to read at once. */
async function stdinBytes(): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces);
}

/** The body of a message: a word of the command line, read as JSON where that is said. */
export async function readMessageBody(given: string, isJson: boolean): Promise<Json> {
  const input = await readInput(given);
  return isJson && typeof input === "string" ? readJsonOption(input, "the message") : input;
}

export function readJsonOption(text: string, option: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new SysError("EINVAL", `${option} is not JSON: ${(error as Error).message}`, {
      hint: `put the text in quotes: '"like this"'`,
    });
  }
}
