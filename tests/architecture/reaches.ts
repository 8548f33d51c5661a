// Reaches: how tests get at the rooms. By their public names; a module that is behind no door is exported by
// the `parts.ts` of its room or folder, and package.json has a name for that. What neither gives is reached by
// its path, and listed here with its reason.

import { rooms } from "./import-map.ts";
import { isTypeScript, type SourceFile } from "./source-files.ts";
import { importsOf } from "./trespass.ts";

/** The names of parts, and the files behind them. No room imports them, but for those that are listed. */
export const partsFiles: Readonly<Record<string, string>> = {
  "@aos/cli/parts": "cli/src/parts.ts",
  "@aos/daemon/gateway": "daemon/src/gateway/parts.ts",
  "@aos/daemon/parts": "daemon/src/parts.ts",
  "@aos/drivers/mcp": "drivers/src/mcp/parts.ts",
  "@aos/drivers/parts": "drivers/src/parts.ts",
  "@aos/drivers/sandbox": "drivers/src/sandbox/parts.ts",
  "@aos/kernel/parts": "kernel/src/parts.ts",
  "@aos/kernel/store": "kernel/src/store/parts.ts",
};

export const partsInRooms: readonly { readonly room: string; readonly name: string }[] = [
  { room: "attacks", name: "@aos/daemon/parts" },
];

/** Tests that reach into the source of a room, and how often. The numbers only fall. */
export const reaches: readonly {
  readonly file: string;
  readonly imports: number;
  readonly reason: string;
}[] = [
  ...["files.test.ts", "kernel.test.ts", "processes.test.ts"].map((name) => ({
    file: `tests/escape/${name}`,
    imports: 1,
    reason: "puts another module in place of the one that makes bubblewrap's arguments",
  })),
  {
    file: "tests/escape/walls.ts",
    imports: 1,
    reason: "the type of what stands in for the module that makes bubblewrap's arguments",
  },
  {
    file: "tests/integration/authority/fail-closed.loop.test.ts",
    imports: 27,
    reason: "makes every method of every class that the gate calls fail in turn",
  },
];

const roomOf = (path: string): string => path.split("/", 1)[0]!;

/** Imports of another room's source by its path. Helpers of a room's unit tests are in tests/helpers/ROOM. */
export function reachesOf(file: SourceFile): string[] {
  if (!isTypeScript(file) || !file.path.startsWith("tests/")) return [];
  const own = /^tests\/helpers\/(\w+)\//.exec(file.path)?.[1];
  return importsOf(file)
    .map(({ to }) => to)
    .filter((to) => /^\w+\/(src|bin)\//.test(to))
    .filter((to) => Object.hasOwn(rooms, roomOf(to)) && roomOf(to) !== own);
}

/** A room that imports what is there for tests. */
export function partsTrespasses(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isTypeScript(file) && Object.hasOwn(rooms, roomOf(file.path)))
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ from, to }) => Object.hasOwn(partsFiles, from) || isPartsFile(to))
        .filter(
          ({ from }) =>
            !partsInRooms.some(({ room, name }) => room === roomOf(file.path) && name === from),
        )
        .map(({ line, from }) => `${file.path}:${line}: ${from} is for tests`),
    );
}

const isPartsFile = (path: string): boolean => Object.values(partsFiles).includes(path);
