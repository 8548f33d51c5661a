// Two servers of others, used by an agent: a real kernel, the real sandbox, a model that is a script.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestHome } from "../e2e/home.ts";
import { folderForTest } from "./rig.ts";

/** An agent in a folder, whose model makes these calls one after the other and then says what came last. */
function agentThat(
  calls: readonly [tool: string, args: object][],
  capabilities: readonly string[],
) {
  const folder = folderForTest();
  const turns = [
    ...calls.map(([tool, args]) => ({ say: "Let me see.", call: [{ tool, args }] })),
    { say: "{{last}}" },
  ];
  writeFileSync(join(folder, "steps.yaml"), JSON.stringify({ turns }));
  writeFileSync(
    join(folder, "agent.yaml"),
    JSON.stringify({
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "steps",
      model: "scripted/steps",
      tools: [...new Set(calls.map(([tool]) => tool))],
      capabilities: ["model:scripted/steps:infer", ...capabilities],
    }),
  );
  return folder;
}

function declare(home: string, servers: object): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "mcp.yaml"), JSON.stringify({ servers }));
}

function home() {
  const made = createTestHome();
  onTestFinished(() => made.remove());
  return made;
}

test("an agent uses server-everything, and the run is in the journal with what held it", async () => {
  const aos = home();
  const agent = agentThat(
    [
      ["mcp.everything.echo", { message: "hello" }],
      ["mcp.everything.get-sum", { a: 2, b: 40 }],
    ],
    ["tool:mcp.everything.*:call"],
  );

  declare(aos.folder, {
    everything: {
      command: ["mcp-server-everything"],
      trust: ["descriptions"],
      effects: { echo: "read", "get-sum": "read" },
    },
  });

  const ran = await aos.aos("run", agent, "go");
  const logs = await aos.aos("logs", "@last", "-o", "json");

  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("42") });
  expect(logs.stdout).toContain("enforced");
});

test("an agent uses server-filesystem, which sees its folder and nothing else", async () => {
  const aos = home();
  const docs = folderForTest();
  writeFileSync(join(docs, "a.txt"), "the answer is 42");
  const agent = agentThat(
    [
      ["mcp.docs.read_text_file", { path: join(docs, "a.txt") }],
      ["mcp.docs.write_file", { path: join(docs, "b.txt"), content: "noted" }],
      ["mcp.docs.read_text_file", { path: "/etc/passwd" }],
    ],
    ["tool:mcp.docs.*:call"],
  );
  declare(aos.folder, {
    docs: {
      command: ["mcp-server-filesystem", docs],
      paths: [`${docs}:rw`],
      trust: ["annotations"],
    },
  });

  const pid = (await aos.aos("spawn", agent, "go")).stdout.trim();
  // The descriptions are a stranger's words: who has read them asks before it changes files for good.
  await expect
    .poll(async () => (await aos.aos("approvals", "-o", "json")).stdout, { timeout: 120_000 })
    .toContain("mcp.docs.write_file");
  const [question] = (await aos.aos("approvals", "-o", "json")).json() as { id: string }[];
  await aos.aos("approve", question!.id);
  const ended = await aos.aos("wait", pid, "--timeout", "60s", "-o", "json");

  expect(ended.stdout).toContain("Access denied");
  expect(readFileSync(join(docs, "b.txt"), "utf8")).toBe("noted");
});

test("what a project declares is there once it is trusted, for who works on it, and for nobody else", async () => {
  const aos = home();
  const project = folderForTest();
  mkdirSync(join(project, ".agents"));
  writeFileSync(
    join(project, ".agents", "mcp.yaml"),
    "servers:\n  mine:\n    command: [mcp-server-filesystem, docs]\n    paths: [docs]\n",
  );
  mkdirSync(join(project, "docs"));

  const stranger = await aos.aosWith({ cwd: project }, "mcp", "ls", "-o", "json");
  const none = await aos.aosWith({ cwd: project }, "tool", "ls", "-o", "json");
  await aos.aosWith({ cwd: project }, "trust", "--yes");
  const inside = await aos.aosWith({ cwd: project }, "mcp", "ls", "-o", "json");
  const outside = await aos.aos("mcp", "ls", "-o", "json");
  const tools = await aos.aosWith({ cwd: project }, "tool", "ls", "-o", "json");

  expect(stranger.json()).toMatchObject([{ state: "stopped", tools: [] }]);
  expect(stranger.stdout).toContain("is not trusted");
  expect(none.stdout).not.toContain("mcp.mine");
  expect(inside.json()).toMatchObject([{ name: "mine", state: "stopped" }]);
  expect(outside.json()).toEqual([]);
  expect(tools.stdout).toContain("mcp.mine.read_text_file");
});

test("a server is tested, agreed to and forgotten by hand, and a mistake names its line", async () => {
  const aos = home();
  await aos.aos("mcp", "add", "everything", "--", "mcp-server-everything");

  const tested = await aos.aos("mcp", "test", "everything", "-o", "json");
  const pinned = await aos.aos("mcp", "pin", "everything", "-o", "json");
  const removed = await aos.aos("mcp", "rm", "everything");
  const left = await aos.aos("mcp", "ls", "-o", "json");
  const wrong = await aos.aos("mcp", "add", "x", "--path", "relative", "--", "true");

  expect(tested.json()).toMatchObject({ ok: true });
  expect(pinned.json()).toMatchObject({ state: "ready" });
  expect(removed.code).toBe(0);
  expect(left.json()).toEqual([]);
  expect(wrong.code).not.toBe(0);
  expect(wrong.stderr).toMatch(/mcp\.yaml:\d+: servers\.x\.paths\[0\]/);
});
