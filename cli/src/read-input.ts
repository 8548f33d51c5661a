// What is given on the command line as text: the text itself, @FILE, or - for standard input.

import { readFileSync } from "node:fs";
import { SysError, type Json } from "@aos/protocol/words";

export async function readText(given: string): Promise<string> {
  if (given === "-") return readStdin();
  if (!given.startsWith("@")) return given;
  const file = given.slice(1);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new SysError("EINVAL", `cannot read ${file}: ${(error as Error).message}`, {
      hint: "text that begins with @ names a file; give it through - to send it as it is",
    });
  }
}

/** Piece by piece: a pipe whose writer is slower than we are has nothing to read at once. */
async function readStdin(): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces).toString("utf8");
}

export function readJson(text: string, option: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new SysError("EINVAL", `${option} is not JSON: ${(error as Error).message}`, {
      hint: `text needs quotes of its own: '"like this"'`,
    });
  }
}
