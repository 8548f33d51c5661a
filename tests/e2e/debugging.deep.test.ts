// `aos why` and `aos debug` on a run that failed, as a person types them.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CausesReport, JournalRecord, MomentReport, ProcessDetail } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noTmux, openTerminal } from "../helpers/terminal.ts";
import { AOS, ROOT, type TestHome } from "./home.ts";
import { createTestProject, type TestProject } from "./project.ts";

let project: TestProject;
let home: TestHome;
/** Was approved once, and then refused its model: exit code 96. */
let failed: string;

beforeAll(async () => {
  project = createTestProject();
  ({ home } = project);
  await home.aos("up", "-d");
  const ledger = "file:/tmp/aos-example-ledger.txt:write";
  const powers = ["model:scripted/clerk:infer{max:1}", "tool:file.append:call", ledger];
  const agent = join(ROOT, "examples/approval");
  failed = await project.spawned(
    agent,
    "Rent paid",
    "--label",
    "untrusted/public",
    ...powers.flatMap((power) => ["-c", power]),
  );
  await project.until(failed, "waiting");
  const waiting = await home.aos("why", failed);
  const next = /aos (approve) (\S+)/.exec(waiting.stdout)!;
  await home.aos(next[1]!, next[2]!, "--text", "they called");
  await home.aos("wait", failed);
});
afterAll(() => project.remove());

const recordsOf = async (pid: string): Promise<JournalRecord[]> =>
  (await home.aos("logs", pid, "-o", "json")).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JournalRecord);

const seqOf = (records: JournalRecord[], isIt: (record: JournalRecord) => boolean): number =>
  records.find(isIt)!.seq;

test("why says how it ended, what refused it, who approved, what made it RED, and what to type", async () => {
  const { stdout, code } = await home.aos("why", failed);

  expect(code).toBe(0);
  expect(stdout).toContain(`${failed} (clerk) failed with exit code 96`);
  expect(stdout).toMatch(/Refused at record \d+\n +call +infer scripted\/clerk, \d+ messages/);
  expect(stdout).toContain("would allow  model:scripted/clerk:infer\n");
  expect(stdout).toMatch(/said approve at .*kernel\/red-external.*: they called/);
  expect(stdout).toContain("since record 0: untrusted/public (RED) by its input");
  expect(stdout).toMatch(/record \d+: infer scripted\/clerk, .* tokens in, \d+ out/);
  expect(stdout).toContain("0 start agent Rent paid ← operator");
  expect(stdout).toContain("aos caps grant --agent clerk model:scripted/clerk:infer\n");
});

test("why prints the same as JSON, also about one record", async () => {
  const end = (await home.aos("why", failed, "-o", "json")).json() as CausesReport;
  const records = await recordsOf(failed);
  const paid = seqOf(records, ({ kind }) => kind === "outcome");
  const approved = (
    await home.aos("why", failed, String(paid), "-o", "json")
  ).json() as CausesReport;

  expect(end).toMatchObject({ pid: failed, exitCode: 96, error: { code: "EACCES" } });
  expect(end.links.at(-1)).toMatchObject({ seq: 0, kind: "start", from: ["operator"] });
  expect(approved).toMatchObject({ seq: paid, decision: { outcome: "allowed", call: "exec" } });
  expect(approved.links[0]?.people[0]).toMatchObject({ answer: "approve" });
  expect(approved.grants.map(({ capability }) => capability)).toContain("tool:file.append:call");
});

test("what cannot be explained is said, with the next command", async () => {
  const none = await home.aos("why", failed, "999", "-o", "json");
  const nobody = await home.aos("why", "agt_zzzz", "-o", "json");

  expect(none.error()).toMatchObject({ code: "EINVAL" });
  expect(nobody.error()).toMatchObject({ code: "ENOENT", hint: expect.stringContaining("aos ps") });
});

test("debug prints the core dump, and where there is none says who knows more", async () => {
  const core = (await home.aos("debug", failed, "-o", "json")).json();
  await home.aos("run", "examples/hello");
  const none = await home.aos("debug", "@last", "-o", "json");

  expect(core).toMatchObject({ pid: failed, code: 96, error: { code: "EACCES" } });
  expect(none.error()).toMatchObject({ code: "ENOENT", hint: expect.stringContaining("aos why") });
});

test("debug --at has the record, the context, the label and the budget", async () => {
  const records = await recordsOf(failed);
  const asked = seqOf(records, (record) => record.kind === "call" && record.call === "infer");

  const shown = await home.aos("debug", failed, "--at", String(asked), "-o", "json");
  const told = await home.aos("debug", failed, "--at", String(asked));

  const moment = shown.json() as MomentReport & { context: { blocks: unknown[] } };
  expect(moment).toMatchObject({ seq: asked, label: "untrusted/public", colour: "RED" });
  expect(moment.record).toMatchObject({ args: { messages: expect.any(Array) } });
  expect(moment.context.blocks.length).toBeGreaterThan(1);
  expect(told.stdout).toContain("had read  untrusted/public (RED)");
});

const REPLY = {
  text: "All is entered.",
  toolCalls: [],
  finish: "stop",
  usage: { inputTokens: 1, outputTokens: 1 },
};

test("debug --edit goes on in a fork in which the call came to something else", async () => {
  const records = await recordsOf(failed);
  const refused = records.findLast(({ kind }) => kind === "call")!.seq;
  const edit = ["debug", failed, "--edit", String(refused)];

  const fork = (await home.aos(...edit, "--result", JSON.stringify(REPLY))).stdout.trim();
  const ended = await home.aos("wait", fork);
  const noCall = await home.aos("debug", failed, "--edit", "0", "--result", "1", "-o", "json");
  const alone = await home.aos(...edit, "-o", "json");

  expect(ended).toMatchObject({ code: 0, stdout: "All is entered.\n" });
  expect((await home.aos("show", failed, "-o", "json")).json()).toMatchObject({ exitCode: 96 });
  expect((await home.aos("why", fork)).stdout).toContain(`fork of ${failed} at`);
  expect(noCall.error()).toMatchObject({
    code: "EINVAL",
    message: "record 0 is not a call, it is start",
  });
  expect(alone.error()).toMatchObject({ code: "EINVAL" });
});

test.skipIf(noTmux)(
  "at a terminal one steps, edits in $EDITOR, and goes on in a fork",
  async () => {
    const editor = join(project.folder, "editor.sh");
    writeFileSync(editor, `#!/bin/sh\nprintf '%s' '${JSON.stringify(REPLY)}' > "$1"\n`);
    chmodSync(editor, 0o755);
    const { press, sees, close } = await openTerminal({
      socket: join(project.folder, "tmux"),
      env: { AOS_HOME: home.folder, EDITOR: editor, PATH: process.env["PATH"] ?? "" },
    });
    try {
      await press(`'${AOS}' debug ${failed}; echo left=$?`, "Enter");
      await sees("code: 96");
      await press("p");
      await sees(/call: infer/);
      await press("w");
      await sees("would allow");
      await press("r");
      await sees(/replayed: \d+ records, identical/);
      await press("e");
      await sees("your result for call");
      await press("y");
      await sees(`fork of ${failed}`);
      await sees("completed 0");
      await press("q"); // nothing after it: what is typed before it has left would be its own
      await sees("left=0");
    } finally {
      await close();
    }

    const processes = (await home.aos("ps", "-a", "-o", "json")).json() as ProcessDetail[];
    const [newest] = processes;
    expect((await home.aos("show", newest!.pid, "-o", "json")).json()).toMatchObject({
      forkedFrom: { pid: failed },
      output: "All is entered.",
    });
  },
);
