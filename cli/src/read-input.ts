// What is given on the command line as text: the text itself, @FILE, or - for standard input.

import { readFileSync } from "node:fs";
import { SysError, type Json } from "@aos/protocol/words";

const STDIN = 0;

export function readText(given: string): string {
  if (given === "-") return readFileSync(STDIN, "utf8");
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

export function readJson(text: string, option: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new SysError("EINVAL", `${option} is not JSON: ${(error as Error).message}`, {
      hint: `text needs quotes of its own: '"like this"'`,
    });
  }
}
