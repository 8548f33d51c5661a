// Project files: the `.agents/tools` of a project, found and read.
//
// F1  A project is the nearest folder, at or above a place, that has `.agents/tools`; one that somebody
//     else has put above the place is not taken.
// F2  Only regular files are read, and no link is followed: a project gives its own text and nothing else.
// F3  The digest is of every file that was read: what has the same digest is the same text.

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { SysError } from "@aos/protocol";

const MAX_FILES = 500;
const MAX_DEPTH = 8;
const MAX_FILE_BYTES = 1_048_576;
const MAX_BYTES = 8 * 1_048_576;

/** Text that modules are made of. */
const MODULE = /\.(?:ts|mts|js|mjs|json)$/;
/** Of the files right in the folder, those that are tools. */
const isMain = (name: string): boolean =>
  name.endsWith(".ts") && !name.endsWith(".d.ts") && !name.endsWith(".test.ts");

export interface Project {
  readonly folder: string;
  /** Its `.agents/tools`, really. */
  readonly tools: string;
}

/** F1. */
export function projectAt(place: string): Project | undefined {
  let folder: string;
  let owner: number;
  try {
    folder = realpathSync(place);
    owner = statSync(folder).uid;
  } catch {
    return undefined;
  }
  for (;;) {
    const project = toolsIn(folder, owner);
    if (project !== undefined) return project;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

function toolsIn(folder: string, owner: number): Project | undefined {
  try {
    const tools = realpathSync(join(folder, ".agents", "tools"));
    const stats = statSync(tools);
    const isOurs = [owner, 0, process.getuid?.() ?? 0].includes(stats.uid);
    const isInside = tools.startsWith(`${folder}/`);
    return stats.isDirectory() && isOurs && isInside ? { folder, tools } : undefined;
  } catch {
    return undefined;
  }
}

/** The project's own packages, where it has some. */
export function packagesOf({ folder }: Project): string | undefined {
  const packages = join(folder, "node_modules");
  return lstatSync(packages, { throwIfNoEntry: false })?.isDirectory() ? packages : undefined;
}

export interface ProjectText {
  /** Changes whenever a file may have changed; cheap to find. */
  readonly fingerprint: string;
  /** Paths from the tools' folder, in order. */
  readonly names: readonly string[];
}

/** What is there, by names, sizes and times. */
export function lookAt({ tools }: Project): ProjectText {
  const names: string[] = [];
  const marks: string[] = [];
  const walk = (below: string, depth: number): void => {
    const entries = readdirSync(join(tools, below), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = join(below, entry.name);
      if (entry.isDirectory() && entry.name !== "node_modules" && depth < MAX_DEPTH)
        walk(name, depth + 1);
      if (!entry.isFile() || !(MODULE.test(name) || isProgram(name))) continue;
      if (names.push(name) > MAX_FILES)
        throw new SysError("EINVAL", `${tools} has more than ${MAX_FILES} files`);
      marks.push(`${name}\0${markOf(lstatSync(join(tools, name)))}`);
    }
  };
  walk("", 0);
  return { fingerprint: marks.join("\n"), names };
}

const markOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string =>
  [ino, size, mtimeMs, ctimeMs].join(":");

/** Right in the folder: a program of the machine, declared as data. */
export const isProgram = (name: string): boolean => name.endsWith(".yaml") && !name.includes("/");

export interface ProjectModules {
  /** Text by URL. */
  readonly files: Readonly<Record<string, string>>;
  /** The URLs of those that export tools. */
  readonly main: readonly string[];
  readonly digest: string;
}

/** F2, F3. */
export function readModules({ tools }: Project, names: readonly string[]): ProjectModules {
  const digest = createHash("sha256");
  const files: Record<string, string> = {};
  let bytes = 0;
  const modules = names.filter((name) => MODULE.test(name));
  for (const name of modules) {
    const text = readRegular(join(tools, name));
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_BYTES)
      throw new SysError("EINVAL", `the modules of ${tools} have more than ${MAX_BYTES} bytes`);
    digest.update(`${name}\0${Buffer.byteLength(text)}\0${text}`);
    files[urlOf(tools, name)] = text;
  }
  const main = modules.filter((name) => basename(name) === name && isMain(name));
  return { files, main: main.map((name) => urlOf(tools, name)), digest: digest.digest("hex") };
}

const urlOf = (tools: string, name: string): string => pathToFileURL(join(tools, name)).href;

export function readRegular(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new SysError("EINVAL", `${path} is not a regular file`);
    if (stats.size > MAX_FILE_BYTES)
      throw new SysError("EINVAL", `${path} has more than ${MAX_FILE_BYTES} bytes`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}
