// Project files: finds and reads `.agents/tools` of a project.
//
// PROJECT-FILES-1  A project is the nearest folder, at or above a path, with `.agents/tools`; a folder of another
//     user is ignored.
// PROJECT-FILES-2  The text of a project is the trusted copy; it is never read from the project's folder again.
// PROJECT-FILES-3  The digest covers every file that was read: equal digests mean equal text.

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { SysError, type TrustedFolder } from "@aos/protocol";

const MAX_FILES = 500;
const MAX_FILE_BYTES = 1_048_576;
const MAX_BYTES = 8 * 1_048_576;

const TOOLS = ".agents/tools/";
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

/** PROJECT-FILES-1. */
export function projectAt(place: string): Project | undefined {
  let folder: string;
  let owner: number;
  try {
    folder = realpathSync.native(place);
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
    const place = join(folder, ".agents", "tools");
    const stats = statSync(place, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const tools = realpathSync.native(place);
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

/** Paths from the tools' folder, in order, of what was trusted. */
export function trustedPaths({ files }: TrustedFolder): string[] {
  const names = [...files.keys()].flatMap((path) =>
    path.startsWith(TOOLS) ? [path.slice(TOOLS.length)] : [],
  );
  const kept = names.filter(
    (name) => !name.split("/").includes("node_modules") && (MODULE.test(name) || isProgram(name)),
  );
  if (kept.length > MAX_FILES)
    throw new SysError("EINVAL", `the tools have more than ${MAX_FILES} files`);
  return kept.toSorted();
}

/** The text of one of them. */
export function textIn({ files }: TrustedFolder, name: string): string {
  const bytes = files.get(`${TOOLS}${name}`);
  if (bytes === undefined) throw new SysError("ENOENT", `${name} does not exist`);
  if (bytes.length > MAX_FILE_BYTES)
    throw new SysError("EINVAL", `${name} has more than ${MAX_FILE_BYTES} bytes`);
  return Buffer.from(bytes).toString("utf8");
}

/** Where what was trusted of them is on the machine. */
const copyOf = ({ copy }: TrustedFolder): string => join(copy, TOOLS.slice(0, -1));

/** Right in the folder: a program of the machine, declared as data. */
export const isProgram = (name: string): boolean => name.endsWith(".yaml") && !name.includes("/");

export interface ProjectModules {
  /** Text by URL. */
  readonly files: Readonly<Record<string, string>>;
  /** The URLs of those that export tools. */
  readonly main: readonly string[];
  readonly digest: string;
  /** Where the same files are on the machine. */
  readonly folder: string;
}

/** PROJECT-FILES-2, PROJECT-FILES-3. */
export function readModules(
  { tools }: Project,
  trusted: TrustedFolder,
  names: readonly string[],
): ProjectModules {
  const digest = createHash("sha256");
  const files: Record<string, string> = {};
  let bytes = 0;
  const modules = names.filter((name) => MODULE.test(name));
  for (const name of modules) {
    const text = textIn(trusted, name);
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_BYTES)
      throw new SysError("EINVAL", `the modules of ${tools} have more than ${MAX_BYTES} bytes`);
    digest.update(`${name}\0${Buffer.byteLength(text)}\0${text}`);
    files[urlOf(tools, name)] = text;
  }
  const main = modules.filter((name) => basename(name) === name && isMain(name));
  return {
    files,
    main: main.map((name) => urlOf(tools, name)),
    digest: digest.digest("hex"),
    folder: copyOf(trusted),
  };
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
