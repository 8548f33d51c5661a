// Questions at a terminal: `aos run` shows what its agent asks, and `aos approve` walks through what is open.

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noTmux, openTerminal, type Terminal } from "../../helpers/terminal.ts";
import { AOS } from "../home.ts";
import { createWorld, policy, type Step, type World } from "./world.ts";

let world: World;
let terminal: Terminal;

const say = (text: string): Step => ["exec", { tool: "echo", args: { text } }];

beforeAll(async () => {
  if (noTmux) return;
  world = createWorld({
    "policy.yaml": policy(`{ id: asks, ask: "tool:echo", say: "may {agent} echo?" }`),
  });
  await world.home.aos("up", "-d");
  terminal = await openTerminal({
    socket: join(world.folder, "tmux"),
    env: { AOS_HOME: world.home.folder, PATH: process.env["PATH"] ?? "", PS1: "$ " },
    columns: 80,
  });
  await terminal.press(`cd ${world.folder}; alias aos=${AOS}`, "Enter");
});
afterAll(async () => {
  if (noTmux) return;
  await terminal.close();
  await world.remove();
});

const PROMPT = /\[y\]es, \[n\]o REASON, \[a\]lways, \[w\]hy, \[l\]ater >\s*$/;

/** What ended a run says of it. */
const ends = (nth: number) => terminal.sees(new RegExp(`left${nth}=\\d+`));

async function starts(nth: number, text: string): Promise<void> {
  const input = JSON.stringify([say(text)]);
  await terminal.press(
    `clear; aos run doer.yaml --input-json '${input}'; echo left${nth}=$?`,
    "Enter",
  );
  await terminal.sees(PROMPT);
}

test.skipIf(noTmux)(
  "a run is answered where it was started: yes, no with a reason, why, later, and elsewhere",
  async () => {
    await starts(1, "first");
    await terminal.press("Enter"); // ASK-INLINE-1
    await terminal.sees(/ater > *\n[^\n]*ater >\s*$/); // it asks again
    await terminal.press("y", "Enter");
    expect(await ends(1)).toContain('"text": "first"');

    await starts(2, "second");
    await terminal.press("w", "Enter");
    await terminal.sees(/rule +organisation\/asks[\s\S]*ater >\s*$/);
    await terminal.press("n not today", "Enter");
    expect(await ends(2)).toContain("EDENIED");
    expect((await world.ledger()).at(-1)).toMatchObject({ what: "question.answer" });

    await starts(3, "third");
    await terminal.press("maybe", "Enter");
    await terminal.sees(/not an answer: maybe\s*\n[^\n]*ater >\s*$/);
    await terminal.press("l", "Enter");
    await terminal.sees("aos approve ask_");
    const [later] = await world.asked(1);
    await world.aos("approve", later!.id);
    expect(await ends(3)).toContain('"text": "third"');

    await starts(4, "fourth"); // ASK-INLINE-2
    const [open] = await world.asked(1);
    await world.aos("approve", open!.id);
    expect(await ends(4)).toMatch(/is no longer open|"text": "fourth"/);
  },
);

test.skipIf(noTmux)("approve without an id walks through what is open", async () => {
  const pids = [await world.does([say("one")]), await world.does([say("two")])];
  await world.asked(2);
  await terminal.press("clear; aos approve; echo walked=$?", "Enter");
  await terminal.sees(PROMPT);
  await terminal.press("y", "Enter");
  await terminal.sees(/goes on[\s\S]*ater >\s*$/);
  await terminal.press("n", "Enter");
  await terminal.sees("walked=0");

  const done = (await Promise.all(pids.map((pid) => world.did(pid)))).map(([result]) => result);
  expect(done).toContainEqual("EDENIED");
  expect(done.filter((result) => result !== "EDENIED")).toHaveLength(1);
});
