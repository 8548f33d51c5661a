// A passphrase: out of a file, the environment, or from the person at the terminal. Never an argument, which every
// user of the machine can see.

import { SysError } from "@aos/protocol/words";
import { askHidden } from "./ask-person.ts";
import type { Options } from "./command.ts";
import { readFile } from "./read-file.ts";

/** `isNew`: it is asked for twice, since nobody could open the file with a slip. */
export async function readPassphrase(
  options: Options,
  { isNew }: { readonly isNew: boolean },
): Promise<string> {
  const passphrase = await find(options, isNew);
  if (passphrase.length >= MIN_CHARS) return passphrase;
  throw new SysError("EINVAL", `a passphrase has at least ${MIN_CHARS} characters`);
}

const MIN_CHARS = 8;

async function find(options: Options, isNew: boolean): Promise<string> {
  const file = options.text("passphraseFile");
  if (file !== undefined) return readFile(file).text.replace(/\r?\n$/, "");
  const given = process.env["AOS_PASSPHRASE"];
  if (given !== undefined && given !== "") return given;
  if (!process.stdin.isTTY)
    throw new SysError("EINVAL", "a backup is sealed under a passphrase, and none was given", {
      hint: "use --passphrase-file FILE or AOS_PASSPHRASE; it cannot be restored without the passphrase",
    });
  const typed = await askHidden("passphrase: ");
  if (isNew && (await askHidden("the same again: ")) !== typed)
    throw new SysError("EINVAL", "the passphrases differ; nothing was written");
  return typed;
}
