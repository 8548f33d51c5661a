// A: paths that look like a granted path and are not.

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Json } from "@aos/protocol";
import type { Range } from "../range.ts";
import { gotOf, tried, type AttackRow, type AttackOutcome } from "./row.ts";

const PATH_TEXT = "drivers/src/tools/file/path-text.ts";
const HOLDINGS = "kernel/src/capability/holdings.ts";
const DEFAULT_POLICY = "kernel/src/policy-formats/default-policy.ts";

export const filesOf = ({ work }: Range): string[] => ["tool:file.*:call", `file:${work}/**:*`];

/** Calls a tool once and reports whether the treasure was returned. */
export async function steal(
  range: Range,
  tool: string,
  args: Json,
  capabilities = filesOf(range),
): Promise<AttackOutcome> {
  let got: unknown;
  await range.run(async (sys) => void (got = await gotOf(sys.exec(tool, args))), { capabilities });
  const text = JSON.stringify(got);
  return tried(text.includes(range.treasure), text.slice(0, 200));
}

const read =
  (pathOf: (range: Range) => string, capabilities?: (range: Range) => string[]) =>
  (range: Range): Promise<AttackOutcome> =>
    steal(range, "file.read", { path: pathOf(range) }, capabilities?.(range));

/** Puts the treasure where a careless match would find it. */
const readPlanted =
  (nameOf: (range: Range) => string, capabilities: (range: Range) => string[]) =>
  async (range: Range): Promise<AttackOutcome> => {
    const path = nameOf(range);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, range.treasure);
    return steal(range, "file.read", { path }, capabilities(range));
  };

/** A file with an unreadable name, which must not be created. */
const nameNobodySees = (name: string) => async (range: Range) => {
  const path = join(range.work, name);
  await steal(range, "file.write", { path, text: "x" });
  const names = await readdir(range.work);
  return tried(names.length > 1, `in the folder: ${JSON.stringify(names)}`);
};

export const paths: readonly AttackRow[] = [
  {
    id: "A1",
    name: "read a file beside the granted folder through `..`",
    stoppedBy: PATH_TEXT,
    run: read(({ work }) => `${work}/../vault/key`),
  },
  {
    id: "A2",
    name: "climb above the root and come down elsewhere",
    stoppedBy: PATH_TEXT,
    run: read(({ work, vault }) => `${work}/${"../".repeat(40)}${vault.slice(1)}/key`),
  },
  {
    id: "A3",
    name: "read from a folder whose name begins like the granted one",
    stoppedBy: HOLDINGS,
    run: readPlanted(({ work }) => `${work}-evil/key`, filesOf),
  },
  {
    id: "A4",
    name: "name a file by a relative path",
    stoppedBy: PATH_TEXT,
    run: read(({ vault }) => relative(process.cwd(), join(vault, "key"))),
  },
  {
    id: "A5",
    name: "encode `..` as full-width dots",
    stoppedBy: PATH_TEXT,
    run: read(({ work }) => `${work}/\uff0e\uff0e/vault/key`),
  },
  {
    id: "A6",
    name: "encode `..` as %2e%2e",
    stoppedBy: PATH_TEXT,
    run: read(({ work }) => `${work}/%2e%2e/vault/key`),
  },
  {
    id: "A7",
    name: "create a file with a line break in its name, to forge lines of a list",
    stoppedBy: PATH_TEXT,
    run: nameNobodySees("a\nrm -rf"),
  },
  {
    id: "A8",
    name: "create a file with terminal escape codes in its name",
    stoppedBy: PATH_TEXT,
    run: nameNobodySees("a\u001b[2Jb"),
  },
  {
    id: "A9",
    name: "create a file with a right-to-left override in its name",
    stoppedBy: PATH_TEXT,
    run: nameNobodySees("a\u202egnp.exe"),
  },
  {
    id: "A10",
    name: "create a second file with an identical-looking name (zero-width character)",
    stoppedBy: PATH_TEXT,
    run: nameNobodySees("not\u200bes"),
  },
  {
    id: "A11",
    name: "create a file with a backslash in its name",
    stoppedBy: PATH_TEXT,
    run: nameNobodySees("..\\vault"),
  },
  {
    id: "A12",
    name: "read a file whose name differs from the granted one in case",
    stoppedBy: HOLDINGS,
    run: readPlanted(
      ({ work }) => join(work, "REPORT"),
      ({ work }) => ["tool:file.*:call", `file:${work}/report:read`],
    ),
  },
  {
    id: "A13",
    name: "read one folder deeper than `*` covers",
    stoppedBy: "kernel/src/capability/path-pattern.ts",
    run: readPlanted(
      ({ work }) => join(work, "deep", "key"),
      ({ work }) => ["tool:file.*:call", `file:${work}/*:read`],
    ),
  },
  {
    id: "A14",
    name: "read .env in the granted folder",
    stoppedBy: DEFAULT_POLICY,
    run: readPlanted(({ work }) => join(work, ".env"), filesOf),
  },
  {
    id: "A15",
    name: "read .ENV.production",
    stoppedBy: DEFAULT_POLICY,
    run: readPlanted(({ work }) => join(work, ".ENV.production"), filesOf),
  },
  {
    id: "A16",
    name: "read a private key in .ssh below the granted folder",
    stoppedBy: DEFAULT_POLICY,
    run: readPlanted(({ work }) => join(work, ".ssh", "id_ed25519"), filesOf),
  },
  {
    id: "A17",
    name: "add a key to .ssh/authorized_keys",
    stoppedBy: DEFAULT_POLICY,
    run: async (range) => {
      await mkdir(join(range.work, ".ssh"));
      const path = join(range.work, ".ssh", "authorized_keys");
      await steal(range, "file.append", { path, line: "ssh-ed25519 mine" });
      const names = await readdir(dirname(path));
      return tried(names.length > 0, `in the folder: ${names.join()}`);
    },
  },
  {
    id: "A18",
    name: "read the environment of the daemon in /proc, with a grant for /proc",
    stoppedBy: PATH_TEXT,
    needs: ["proc"],
    run: async (range) => {
      const files = ["tool:file.*:call", "file:/proc/**:read"];
      const { detail } = await steal(range, "file.read", { path: "/proc/self/status" }, files);
      return tried(detail.includes("Pid:"), detail);
    },
  },
  {
    id: "A19",
    name: "reach the root of the file system through /proc/self/root",
    stoppedBy: PATH_TEXT,
    needs: ["proc"],
    run: read(({ vault }) => `/proc/self/root${vault}/key`),
  },
  {
    id: "A20",
    name: "overwrite a file with a grant for reading",
    stoppedBy: HOLDINGS,
    run: async (range) => {
      const path = join(range.work, "notes");
      const files = ["tool:file.*:call", `file:${range.work}/**:read`];
      await steal(range, "file.write", { path, text: "theirs" }, files);
      const text = await readFile(path, "utf8");
      return tried(text !== "mine", `the file says ${text}`);
    },
  },
  {
    id: "A21",
    name: "remove a file with a grant for writing",
    stoppedBy: HOLDINGS,
    run: async (range) => {
      const files = ["tool:file.*:call", `file:${range.work}/**:write`];
      await steal(range, "file.remove", { path: join(range.work, "notes") }, files);
      const names = await readdir(range.work);
      return tried(!names.includes("notes"), `in the folder: ${names.join()}`);
    },
  },
];
