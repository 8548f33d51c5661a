// People: what waits for them, what they say to it, and a run that goes on with their word.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { AOS } from "../home.ts";
import { createWorld, policy, type Step, type World } from "./world.ts";

let world: World;

const say = (text: string): Step => ["exec", { tool: "echo", args: { text } }];

beforeAll(async () => {
  world = createWorld({
    "policy.yaml": policy(
      `{ id: asks, ask: "tool:echo", when: 'args.text != "pay"', say: "may {agent} echo?" }`,
      `{ id: pays, ask: "tool:echo", when: 'args.text == "pay"', channel: finance, everyTime: true }`,
    ),
    "config.yaml":
      "approvals:\n  expires: 2h\n  channels:\n    finance: { people: [alice, bob], quorum: 2 }\n",
  });
  await world.home.aos("up", "-d");
});
beforeEach(async () => {
  for (const { id } of (await world.aos("approvals", "-o", "json")).json() as { id: string }[])
    await world.aos("approvals", "cancel", id);
});
afterAll(() => world.remove());

test("identical asks are one entry, and one word answers them", async () => {
  const pids = [await world.does([say("same")]), await world.does([say("same")])];
  let [question] = await world.asked(1);
  while ((question?.count ?? 0) < 2) [question] = await world.asked(1);
  const id = question?.id ?? "";

  const list = (await world.aos("approvals", "-o", "wide")).stdout;
  const shown = (await world.aos("approvals", "show", id.slice(0, -2))).stdout;
  const approved = await world.aos("approve", id, "--text", "fine", "-o", "json");

  expect(question).toMatchObject({
    count: 2,
    quorum: 1,
    kind: "policy",
    about: { colour: "BLUE" },
  });
  expect(Date.parse(question?.expiresAt ?? "") - Date.parse(question?.askedAt ?? "")).toBe(
    7_200_000,
  );
  expect(list).toMatch(/ASKS.*VOTES.*ALWAYS/);
  expect(list).toContain("may doer echo?");
  expect(shown).toMatch(/rule +organisation\/asks/);
  for (const pid of pids) expect(shown).toContain(pid);
  expect(approved.json()).toMatchObject({
    id,
    settled: true,
    answer: "approve",
    choice: "approve",
  });
  expect(await Promise.all(pids.map((pid) => world.did(pid)))).toEqual([
    [{ text: "same" }],
    [{ text: "same" }],
  ]);
  expect((await world.ledger()).at(-1)).toMatchObject({ what: "question.answer" });
});

test("deny and cancel both refuse, and the agent goes on", async () => {
  const denied = await world.does([say("denied"), ["checkpoint", { state: null }]]);
  await world.aos("deny", (await world.asked(1))[0]?.id ?? "", "--text", "no");
  const withdrawn = await world.does([say("withdrawn")]);
  const [question] = await world.asked(1);
  const cancelled = await world.aos("approvals", "cancel", question?.id ?? "", "-o", "json");

  expect(cancelled.stderr).toBe("");
  expect(cancelled.json()).toEqual({ id: question?.id, alsoWithdrawn: [] });
  expect((await world.did(denied))[0]).toBe("EDENIED");
  expect(await world.did(withdrawn)).toEqual(["EDENIED"]);
});

test("a channel takes only its people, each once, until the quorum is there", async () => {
  const pid = await world.does([say("pay")]);
  const id = (await world.asked(1))[0]?.id ?? "";

  const stranger = await world.aos("approve", id, "--by", "mallory", "-o", "json");
  const process = await world.aos("approve", id, "--by", pid, "-o", "json");
  const first = await world.aos("approve", id, "--by", "alice", "-o", "json");
  const always = await world.aos("approve", id, "--by", "bob", "--always", "--yes", "-o", "json");
  const second = await world.aos("approve", id, "--by", "bob", "-o", "json");

  expect([stranger.error().code, process.error().code]).toEqual(["EACCES", "EACCES"]);
  expect(stranger.error().hint).toContain("alice, bob");
  expect(first.json()).toMatchObject({ settled: false, votes: 1, needed: 2 });
  expect(first.stderr).toContain("1 of 2");
  expect(always.error().code).toBe("ESTATE");
  expect(second.json()).toMatchObject({ settled: true, votes: 2 });
  expect(await world.did(pid)).toEqual([{ text: "pay" }]);
  expect(JSON.stringify((await world.ledger()).at(-1))).toContain("recorded by");
});

test("always shows what it gives, needs a yes to that, and is not asked again", async () => {
  const first = await world.does([say("often")]);
  const [question] = await world.asked(1);
  const id = question?.id ?? "";
  const cover = question?.about?.cover[0] ?? "none";

  const unsure = await world.aos("approve", id, "--always");
  const still = await world.asked(1);
  const sure = await world.aos("approve", id, "--always", "--yes", "-o", "json");
  const given = sure.json() as { given: { handle: string; capabilities: string[] } };
  const second = await world.does([say("often")]);

  expect(unsure.code).toBe(2);
  expect(unsure.stderr).toContain(cover);
  expect(still[0]?.id).toBe(id);
  expect(sure.stderr).toContain(cover);
  expect(given.given.capabilities).toEqual(question?.about?.cover);
  expect(await world.did(first)).toEqual([{ text: "often" }]);
  expect(await world.did(second)).toEqual([{ text: "often" }]);
  await world.aos("caps", "revoke", given.given.handle);
});

test("a word that comes after the daemon was killed and started again lets the run go on", async () => {
  const pid = await world.does([say("patient"), say("patient")]);
  const [before] = await world.asked(1);
  await world.crash();

  const approved = await world.aos("approve", before?.id ?? "", "-o", "json");
  const next = await world.asked(1);
  await world.aos("approve", next[0]?.id ?? "");

  expect(approved.stderr).toContain("started the daemon");
  expect(approved.json()).toMatchObject({ settled: true, pid });
  expect(await world.did(pid)).toEqual([{ text: "patient" }, { text: "patient" }]);
  expect((await world.aos("audit", "verify", "-o", "json")).json()).toMatchObject({ ok: true });
});

test("a question that is not there is named", async () => {
  const ran = await world.aos("approvals", "show", "q_nothing", "-o", "json");

  expect(ran.error()).toMatchObject({
    code: "ENOENT",
    message: expect.stringContaining("q_nothing"),
  });
  expect((await world.aos("deny", "q_x", "--text", "a", "--reason", "b")).code).toBe(2);
});

test("a run without a terminal says how to answer; with --no-ask it ends with 96, and nothing stays open", async () => {
  const input = JSON.stringify([say("piped")]);
  const running = world.home.shell(`'${AOS}' run doer.yaml --input-json '${input}' 2> notes`, {
    cwd: world.folder,
  });
  const notes = () => readFileSync(join(world.folder, "notes"), "utf8");
  const [question] = await world.asked(1);
  await vi.waitFor(() => expect(notes()).toContain("waiting for a person: may doer echo?"));
  await world.aos("deny", question!.id);
  const ran = await running;
  const refused = await world.aos("run", "doer.yaml", "--input-json", input, "--no-ask");

  expect(notes()).toContain(`aos approve ${question!.id}`);
  expect(JSON.parse(ran.stdout)).toEqual(["EDENIED"]);
  expect(refused.code).toBe(96);
  expect(refused.stderr).toContain("--no-ask");
  expect((await world.aos("approvals")).stdout).toContain("No question is open.");
});

test("without an id and without a terminal, approve is refused", async () => {
  expect((await world.aos("approve", "-o", "json")).error()).toMatchObject({ code: "EINVAL" });
});
