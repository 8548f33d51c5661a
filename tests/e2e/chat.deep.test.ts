// `aos chat` and `aos attach`: a conversation at a terminal, and from a pipe.

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noTmux, openTerminal } from "../helpers/terminal.ts";
import { createWorld, write, type World } from "./authority/world.ts";
import { AOS } from "./home.ts";

let world: World;

const AGENT = `apiVersion: aos/v1
kind: Agent
name: talker
model: scripted/talker
tools: [echo]
capabilities: [ "model:scripted/talker:infer", "tool:echo:call" ]
`;
// What is slow goes on until it is stopped: each step echoes the result of the one before.
const SCRIPT = `turns:
  - when: { contains: "slow" }
    say: Wait.
    delayMs: 1000
    call: [ { tool: echo, args: { text: "{{last}}" } } ]
otherwise: { say: "You said <{{last}}>" }
`;

beforeAll(async () => {
  world = createWorld();
  write(join(world.folder, "talker"), { "agent.yaml": AGENT, "talker.yaml": SCRIPT });
  await world.home.aos("up", "-d");
});
afterAll(() => world.remove());

const states = async () =>
  (await world.home.client.list({})).map(({ pid, state }) => [pid, state] as const);

test("from a pipe each line is a message, each answer a line, and the agent ends with the last", async () => {
  const ran = await world.home.shell(`printf 'one\\n\\ntwo\\n' | '${AOS}' chat talker zero`, {
    cwd: world.folder,
  });
  const json = await world.home.shell(`echo again | '${AOS}' chat talker -o json`, {
    cwd: world.folder,
  });

  expect(ran.stdout).toBe("You said <zero>\nYou said <one>\nYou said <two>\n");
  expect(ran.code).toBe(0);
  expect(JSON.parse(json.stdout)).toMatchObject({ input: "again", output: "You said <again>" });
  expect((await states()).every(([, state]) => state === "killed")).toBe(true);
});

test("what holds no conversation is refused", async () => {
  expect((await world.aos("chat", "doer.yaml", "x", "-o", "json")).error()).toMatchObject({
    code: "EINVAL",
  });
  expect((await world.aos("chat", "recall", "x", "-o", "json")).error()).toMatchObject({
    code: "EINVAL",
  });
});

test.skipIf(noTmux)(
  "at a terminal: talk, stop the work, leave, attach again after kill -9, end",
  async () => {
    const { press, sees, close } = await openTerminal({
      socket: join(world.folder, "tmux"),
      env: { AOS_HOME: world.home.folder, PATH: process.env["PATH"] ?? "", PS1: "$ " },
      columns: 80,
    });
    try {
      await press(`cd ${world.folder}; alias aos='${AOS}'; clear`, "Enter");
      await press("aos chat talker; echo left=$?", "Enter");
      await sees(/listens[\s\S]*\n>\s*$/);
      await press("good morning", "Enter");
      await sees(/You said <good morning>\s*>\s*$/);
      await press("first \\", "Enter");
      await sees(/\.\.\.\s*$/);
      await press("second", "Enter");
      await sees(/<first\s+second>\s*>\s*$/);
      await press("/nothing", "Enter");
      await sees(/there is no \/nothing[\s\S]*>\s*$/);

      await press("go slow", "Enter");
      await sees("Wait.");
      await press("C-c");
      await sees(/stopping[\s\S]*was stopped[\s\S]*>\s*$/); // CONVERSATION-2
      await press("still there", "Enter");
      await sees(/You said <still there>\s*>\s*$/);
      await press("a draft");
      await sees("> a draft");
      await press("C-c");
      await sees(/a draft\n>\s*$/);
      await press("C-c");
      const screen = await sees(/left=0/);
      const pid = /aos attach (agt_\w+)/.exec(screen)![1]!;

      await world.crash();
      await press(`clear; aos attach ${pid}; echo again=$?`, "Enter");
      await sees(/\n?>\s*$/);
      await press("what now", "Enter");
      await sees(/You said <what now>\s*>\s*$/);
      await press("/end", "Enter");
      await sees("again=0");
      await world.until(pid, "killed");
    } finally {
      await close();
    }
  },
);
