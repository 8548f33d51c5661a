// The Codex CLI, as it comes from npm, with an agent for its model: it is answered, and runs the command that
// the agent's model calls for.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { peerCommand } from "../../peers/peer.ts";
import { finish, type Ran } from "../home.ts";
import { openOpenAiRig, type OpenAiRig } from "./openai-rig.ts";

const command = peerCommand("codex");
const noCodex = command === undefined;

let rig: OpenAiRig;
let folder: string;
/** What `aos connect codex` prints. */
let line: string;
beforeAll(async () => {
  if (noCodex) return;
  rig = await openOpenAiRig();
  folder = mkdtempSync(join(tmpdir(), "aos-codex-"));
  mkdirSync(join(folder, ".codex"));
  mkdirSync(join(folder, "project"));
  writeFileSync(join(folder, ".codex", "config.toml"), OFFLINE);
  const connected = await rig.home.aos("connect", "codex", "--agent", "coder", "--token");
  line = connected.stdout.trim().replace(" codex ", ` ${command} `);
});
afterAll(async () => {
  if (noCodex) return;
  await rig.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

/** It asks nobody else, and lets what it runs do what it likes: the folder is the test's. */
const OFFLINE = `
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
analytics.enabled = false
`;

function codex(prompt: string): Promise<Ran> {
  const env = { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1" };
  const child = spawn("sh", ["-c", `${line} exec --skip-git-repo-check "$1"`, "sh", prompt], {
    cwd: join(folder, "project"),
    env,
  });
  return finish(child);
}

test.skipIf(noCodex)("a prompt is answered by the agent", async () => {
  const { code, stdout, stderr } = await codex("how are you?");

  expect(stdout.trim(), stderr).toBe("I am well.");
  expect(code).toBe(0);
  expect((await rig.runs())[0]).toMatchObject({ agent: "coder", state: "completed" });
});

test.skipIf(noCodex)(
  "the agent's model calls for a command, Codex runs it, and it goes on",
  async () => {
    const before = (await rig.runs()).length;

    const { code, stdout, stderr } = await codex("make the file");

    expect(stdout.trim(), stderr).toBe("The file is there.");
    expect(code).toBe(0);
    expect(readFileSync(join(folder, "project", "made.txt"), "utf8")).toBe("by hand\n");
    expect(await rig.runs()).toHaveLength(before + 2);
  },
);
