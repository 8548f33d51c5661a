// Ignore: `.aosignore` at the top of a project says what a copy of it leaves out.
//
//   # a comment
//   node_modules/      every folder of this name
//   secrets.txt        every file or folder of this name
//   *.iso              every file or folder whose name ends so
//   build/cache/       this folder of the project; a path with a slash inside begins at the top
//
// I1  A line that is none of these is an error that names it, never "no match".

import { SysError } from "@aos/protocol";

export const IGNORE_FILE = ".aosignore";
export const MAX_IGNORE_BYTES = 65_536;

/** Whether to leave out the file or folder at this path. */
export type Ignores = (path: string, isFolder: boolean) => boolean;

interface Line {
  readonly test: (path: string, name: string) => boolean;
  readonly onlyFolders: boolean;
}

export function readIgnore(text: string): Ignores {
  const lines = text
    .split("\n")
    .map((line, index) => readLine(line.trim(), index + 1))
    .filter((line) => line !== undefined);
  return (path, isFolder) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return lines.some((line) => (isFolder || !line.onlyFolders) && line.test(path, name));
  };
}

function readLine(line: string, at: number): Line | undefined {
  if (line === "" || line.startsWith("#")) return undefined;
  const onlyFolders = line.endsWith("/");
  const pattern = onlyFolders ? line.slice(0, -1) : line;
  const ending = /^\*(\.[^/*?[\]!\\]+)$/.exec(pattern)?.[1];
  if (ending !== undefined) return { onlyFolders, test: (_path, name) => name.endsWith(ending) };
  if (/[*?[\]!\\]/.test(pattern) || pattern.split("/").some(isOddPart)) {
    throw new SysError(
      "EINVAL",
      `${IGNORE_FILE}:${at}: ${JSON.stringify(line)} is not understood`,
      {
        hint: "write a name, a folder with / at its end, *.ending, or a path from the top",
      },
    );
  }
  if (pattern.includes("/")) return { onlyFolders, test: (path) => path === pattern };
  return { onlyFolders, test: (_path, name) => name === pattern };
}

const isOddPart = (part: string): boolean => part === "" || part === "." || part === "..";
