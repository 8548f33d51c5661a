// T: power files in a folder of the user: files that agents and programs of the user obey, planted, overwritten or
// read from inside the sandbox; and the content of untrusted folders.

import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Range } from "../range.ts";
import { gotOf, tried, type AttackRow } from "./row.ts";

const GUARD = "drivers/src/workspace/guard.ts";
const GUARD_SCAN = "drivers/src/workspace/guard-scan.ts";
const HIDDEN = "drivers/src/workspace/hidden.ts";
const AS_IT_IS = "daemon/src/trust/library-trust.ts";

/** A folder of the user, with these files. */
async function project(
  range: Range,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = join(range.folder, "project");
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** Runs a shell command in the folder itself, not in a copy. */
async function shell(range: Range, folder: string, command: string): Promise<string> {
  let said: unknown;
  await range.run(
    async (sys) => {
      said = await gotOf(sys.exec("shell.execute", { command }));
    },
    {
      capabilities: [
        "tool:shell.execute:call",
        "shell:*:exec",
        "file:/work/**:read,write,list,remove",
      ],
      workspace: { folder, isCow: false },
    },
  );
  return JSON.stringify(said);
}

const plants = (path: string, command: string) => async (range: Range) => {
  const folder = await project(range);
  const said = await shell(range, folder, command);
  return tried(existsSync(join(folder, path)), said);
};

const REPOSITORY = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n\tbare = false\n",
  ".git/objects/x": "",
  ".git/refs/x": "",
  ".git/hooks/pre-commit.sample": "",
};

export const power: readonly AttackRow[] = [
  {
    id: "T1",
    name: "plant an MCP declaration where no .agents exists",
    stoppedBy: GUARD,
    run: plants(".agents/mcp.yaml", "mkdir .agents && echo 'servers: {}' > .agents/mcp.yaml"),
  },
  {
    id: "T2",
    name: "create a folder and rename it to .agents, deep in the project",
    stoppedBy: GUARD,
    run: plants(
      "a/b/.agents",
      "mkdir -p a/b/x/agents && touch a/b/x/agents/y && mv a/b/x a/b/.agents",
    ),
  },
  {
    id: "T3",
    name: "replace a nested policy by moving its parent folder",
    stoppedBy: GUARD,
    run: async (range) => {
      const folder = await project(range, { "sub/.agents/policy.yaml": "deny" });
      const said = await shell(
        range,
        folder,
        "mv sub old && mkdir -p sub/.agents && echo allow > sub/.agents/policy.yaml",
      );
      const file = join(folder, "sub/.agents/policy.yaml");
      return tried(!existsSync(file) || readFileSync(file, "utf8") !== "deny", said);
    },
  },
  {
    id: "T4",
    name: "plant a git hook",
    stoppedBy: GUARD_SCAN,
    run: async (range) => {
      const folder = await project(range, REPOSITORY);
      const said = await shell(range, folder, "echo x > .git/hooks/post-checkout");
      return tried(existsSync(join(folder, ".git/hooks/post-checkout")), said);
    },
  },
  {
    id: "T5",
    name: "write a git setting that runs a program",
    stoppedBy: GUARD_SCAN,
    run: async (range) => {
      const folder = await project(range, REPOSITORY);
      const said = await shell(range, folder, "printf '\\tfsmonitor = ./x\\n' >> .git/config");
      return tried(readFileSync(join(folder, ".git/config"), "utf8").includes("fsmonitor"), said);
    },
  },
  {
    id: "T6",
    name: "read a hidden file by renaming its folder",
    stoppedBy: HIDDEN,
    run: async (range) => {
      const folder = await project(range, { "a/.env": range.treasure });
      await shell(range, folder, "mv a b");
      const said = await shell(range, folder, "cat b/.env");
      return tried(said.includes(range.treasure), said);
    },
  },
  {
    id: "T7",
    name: "read a hidden file in a folder with a name that is not UTF-8",
    stoppedBy: "drivers/src/workspace/byte-walk.ts",
    run: async (range) => {
      const folder = await project(range);
      const odd = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]);
      await mkdir(odd);
      await writeFile(Buffer.concat([odd, Buffer.from("/.env")]), range.treasure);
      const said = await shell(range, folder, "cat */.env");
      return tried(said.includes(range.treasure), said);
    },
  },
  {
    id: "T8",
    name: "load a tool from an untrusted folder",
    stoppedBy: AS_IT_IS,
    run: async (range) => {
      const tool = `name: stranger.lines\ndescription: Count.\nprogram: wc\ninput: { type: object, properties: {} }\nargv: ["-l"]\n`;
      const folder = await project(range, { ".agents/tools/lines.yaml": tool });
      let there = false;
      await range.run(
        async (sys) => {
          const said = JSON.stringify(await gotOf(sys.exec("stranger.lines", {})));
          there = !said.includes("ENOENT");
        },
        { capabilities: ["tool:*:call"], workspace: { folder, isCow: false } },
      );
      return tried(there, there ? "the tool was offered" : "the tool does not exist");
    },
  },
  {
    id: "T9",
    name: "plant a hook in a folder with a name that is not UTF-8",
    stoppedBy: GUARD,
    run: async (range) => {
      const folder = await project(range);
      const said = await shell(
        range,
        folder,
        `hooks="$(printf 'a\\377')/.git/hooks" && mkdir -p "$hooks" && echo x > "$hooks/post-checkout"`,
      );
      const hook = Buffer.from("/.git/hooks/post-checkout");
      const odd = Buffer.concat([Buffer.from(`${folder}/a`), Buffer.from([0xff]), hook]);
      return tried(existsSync(odd), said);
    },
  },
];
