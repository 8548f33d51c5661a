// Find program: resolves the executable of a command. Version managers put scripts named after programs ("shims") on
// the path, which do not work inside the sandbox. A Python shim is asked for the real interpreter; for others the
// next program of that name is used.
//
// FIND-PROGRAM-1  Only programs on the operator's path are run, in a folder without files that could influence them.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { SysError } from "@aos/protocol";
import { programsOnPath } from "../sandbox/program-mounts.ts";

const SHIM_MS = 10_000;
const ASK_PYTHON = ["-I", "-c", "import sys; print(sys.executable)"];

const answers = new Map<string, Promise<string | undefined>>();

/** Absolute; links are not followed, since a virtual environment is known by where its link is. */
export async function findProgram(command: string, path: string): Promise<string> {
  const candidates = programsOnPath(command, path);
  for (const candidate of candidates) {
    const found = isShim(candidate) ? await behind(candidate, path) : candidate;
    if (found !== undefined) return found;
  }
  throw new SysError("EINVAL", whyNot(command, candidates));
}

const isShim = (path: string): boolean => basename(dirname(path)) === "shims";

/** Asked once: a shim takes a tenth of a second. */
function behind(shim: string, path: string): Promise<string | undefined> {
  const key = `${shim}\0${path}`;
  const known = answers.get(key);
  if (known !== undefined) return known;
  const asked = /^python[\d.]*$/.test(basename(shim))
    ? ask(shim, path)
    : Promise.resolve(undefined);
  answers.set(key, asked);
  return asked;
}

async function ask(shim: string, path: string): Promise<string | undefined> {
  const { HOME = "/" } = process.env;
  try {
    const options = { cwd: "/", env: { PATH: path, HOME }, timeout: SHIM_MS };
    const said = (await promisify(execFile)(shim, ASK_PYTHON, options)).stdout.trim();
    return programsOnPath(said, "")[0];
  } catch {
    return undefined;
  }
}

function whyNot(command: string, shims: readonly string[]): string {
  const name = JSON.stringify(command);
  if (shims.length > 0) {
    return `the command ${name} is only a script of a version manager (${shims[0]}), which finds nothing in a sandbox: name the program itself`;
  }
  if (command.includes("/") && existsSync(command)) return `the command ${name} is not executable`;
  return `the command ${name} was not found`;
}
