// What people did is in the ledger, and whoever changes it behind the kernel's back is found.

import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { bootKernel, type AuditReport, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Tool } from "@aos/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { TOOLS } from "../../helpers/kernel.ts";
import { checked } from "../../helpers/reference.ts";
import { openOf, payer, policyOf, spawnPayer } from "./asking.ts";

const pay: Tool = {
  name: "pay",
  version: "1",
  description: "pays",
  input: {},
  effect: "external",
  touches: () => [],
  label: { integrity: "trusted", secrecy: "public" },
  run: async () => "done",
};

const options = (folder: string): KernelOptions => ({
  store: { file: join(folder, "aos.db") },
  auditFolder: join(folder, "audit"),
  policy: policyOf({ id: "ask-pay", ask: "tool:pay", quorum: 2 }),
  programs: { payer },
  tools: [pay],
});

let folder: string;
let node: string;
/** What the signed log said when the kernel was first closed. */
let logged: string;

async function answerAll(kernel: Kernel, choice: string): Promise<void> {
  const [question] = await openOf(kernel, 1);
  await kernel.answer(question!.id, { by: "ann", choice, text: "as agreed" });
  if (choice === "approve") await kernel.answer(question!.id, { by: "bob", choice });
}

/** Judged again when it is closed (tests/reference); those whose rows were changed below are not. */
const boot = async (options: KernelOptions): Promise<Kernel> =>
  checked(await bootKernel(options), options);

/** One approved by two people, one denied, one withdrawn, and one that is still open with a vote. */
beforeAll(async () => {
  // The log is published by the second; here only when the kernel is closed, however long the rest takes.
  vi.useFakeTimers({ toFake: ["setInterval"] });
  folder = await mkdtemp(join(tmpdir(), "aos-ledger-"));
  const kernel = await boot(options(folder));
  for (const choice of ["approve", "deny"]) {
    const pid = await kernel.spawn({
      agent: "payer",
      capabilities: TOOLS.slice(2),
      input: [{ to: choice }],
    });
    await answerAll(kernel, choice);
    await kernel.wait(pid);
  }
  const withdrawn = await spawn(kernel, "withdrawn");
  await kernel.cancelQuestion((await openOf(kernel, 1))[0]!.id, { by: "ann" });
  await kernel.wait(withdrawn);
  await spawn(kernel, "open");
  await kernel.answer((await openOf(kernel, 1))[0]!.id, { by: "ann", choice: "approve" });
  ({ node } = (await kernel.ledger())[0]!);
  await kernel.close();
  logged = await textIn(join(folder, "audit"));
  vi.useRealTimers();
});

/** All that the files below a folder say. */
async function textIn(below: string): Promise<string> {
  const files = await readdir(below, { recursive: true, withFileTypes: true });
  const texts = files.flatMap((file) =>
    file.isFile() ? [readFile(join(file.parentPath, file.name), "latin1")] : [],
  );
  return (await Promise.all(texts)).join("\n");
}

test("the end of the ledger is in the signed log as soon as those of processes are", () => {
  expect(logged).toMatch(new RegExp(`"pid":"ledger:${node}","seq":4,`));
});

const spawn = (kernel: Kernel, to: string) =>
  kernel.spawn({ agent: "payer", capabilities: ["tool:pay:call"], input: [{ to }] });

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));

async function verifyAfter(
  change: (database: DatabaseSync) => void,
  more: Partial<KernelOptions> = {},
): Promise<AuditReport> {
  const copy = await mkdtemp(join(tmpdir(), "aos-ledger-"));
  try {
    await cp(folder, copy, { recursive: true });
    const database = new DatabaseSync(join(copy, "aos.db"));
    change(database);
    database.close();
    const kernel = await bootKernel({ ...options(copy), ...more });
    try {
      return await kernel.verify();
    } finally {
      await kernel.close();
    }
  } finally {
    await rm(copy, { recursive: true, force: true, maxRetries: 20 });
  }
}

const run = (sql: string) => verifyAfter((database) => database.exec(sql));

test("an untouched ledger is found to be sound, and says who did what", async () => {
  const kernel = await boot(options(folder));
  const entries = await kernel.ledger();
  const last = await kernel.ledger({ limit: 2 });
  const { findings } = await kernel.verify();
  await kernel.close();

  expect(findings).toEqual([]);
  expect(entries.map(({ by, what }) => `${by} ${what}`)).toEqual([
    "ann question.answer",
    "bob question.answer",
    "ann question.answer",
    "ann question.cancel",
    "ann question.answer",
    "kernel log.kept",
  ]);
  expect(entries.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(last).toEqual(entries.slice(-2));
  expect(entries[0]!.detail).toMatchObject({
    choice: "approve",
    reason: "as agreed",
    signature: expect.stringMatching(/^[0-9a-f]{8}:.{86}==$/),
  });
});

describe("an entry of the ledger", () => {
  const blamed = (report: AuditReport, seq: number) =>
    expect(report.findings.map((finding) => [finding.pid, finding.seq])).toContainEqual([
      `ledger:${node}`,
      seq,
    ]);

  test.each([0, 1, 2, 3, 4])("entry %i is found when its words are changed", async (seq) => {
    blamed(
      await run(`update ledger set entry = replace(entry, '"ann"', '"eve"') where seq = ${seq};
                 update ledger set entry = replace(entry, '"bob"', '"eve"') where seq = ${seq}`),
      seq,
    );
  });

  test.each([0, 2, 4])("entry %i is found when its hash is changed", async (seq) => {
    blamed(await run(`update ledger set hash = zeroblob(32) where seq = ${seq}`), seq);
  });

  test.each([0, 1, 2, 3])("entry %i is missed when it is removed", async (seq) => {
    const report = await run(`delete from ledger where seq = ${seq}`);

    blamed(report, seq);
    expect(report.findings.map(({ kind }) => kind)).toContain("missing");
  });

  test.each([0, 1, 4])("that is cut off from %i on is found", async (seq) => {
    const report = await run(`delete from ledger where seq >= ${seq}`);

    const ofLedger = report.findings.filter(({ pid }) => pid === `ledger:${node}`);
    expect(ofLedger.map(({ kind }) => kind)).toContain(seq === 0 ? "missing" : "truncated");
  });

  test.each([
    ["tenant", "7"],
    ["at", "5"],
  ])("with another %s in its row is found", async (column, value) => {
    blamed(await run(`update ledger set ${column} = ${value} where seq = 2`), 2);
  });

  test("an entry that is given to another node is found", async () => {
    const report = await run(`update ledger set node = 'other'`);

    expect(report.findings.map(({ pid }) => pid)).toContain(`ledger:${node}`);
    expect(report.findings.map(({ pid }) => pid)).toContain("ledger:other");
  });

  test("that is rewritten, with a chain that fits again from there on, is found", async () => {
    const report = await verifyAfter((database) => {
      rechain(database, (entry, seq) => (seq === 1 ? entry.replaceAll('"bob"', '"eve"') : entry));
      database.exec(`update vote set person = 'eve' where person = 'bob'`);
    });

    expect(report.findings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringContaining("entry 1: its signature does not fit"),
        expect.stringContaining("it differs from the logged one"),
        expect.stringContaining("the vote of eve on"),
      ]),
    );
  });

  test("that is no JSON, with a chain that fits", async () => {
    const report = await verifyAfter((database) =>
      rechain(database, (entry, seq) => (seq === 4 ? "?" : entry)),
    );

    expect(report.findings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("the ledger cannot be read"),
    );
  });
});

/** What somebody would do who knows how the chain is made. */
function rechain(database: DatabaseSync, change: (entry: string, seq: number) => string): void {
  let hash = "0".repeat(64);
  for (const row of database.prepare("select seq, entry from ledger order by seq").all()) {
    const entry = change(row["entry"] as string, row["seq"] as number);
    hash = createHash("sha256").update(`${hash}\n${entry}`).digest("hex");
    database
      .prepare("update ledger set entry = ?, hash = ? where seq = ?")
      .run(entry, Buffer.from(hash, "hex"), row["seq"]!);
  }
}

describe("a vote", () => {
  const found = async (sql: string, message: string | RegExp) =>
    expect((await run(sql)).findings.map((finding) => finding.message)).toContainEqual(
      typeof message === "string"
        ? expect.stringContaining(message)
        : expect.stringMatching(message),
    );

  test.each([
    ["choice", "'deny'"],
    ["reason", "'another'"],
    ["at", "at + 1"],
    ["signature", "null"],
    ["tenant", "tenant + 1"],
  ])("with its %s changed is found", (column, value) =>
    found(
      `update vote set ${column} = ${value} where person = 'bob'`,
      "is not what the ledger has",
    ),
  );

  test("a vote of another person is found", () =>
    found(`update vote set person = 'eve' where person = 'bob'`, /vote of eve on .* in no ledger/));

  test("that is gone", () =>
    found(`delete from vote where person = 'bob'`, /vote of bob on .* is gone/));

  test("a vote that nobody cast is found", () =>
    found(
      `insert into vote select question, tenant, process, 'eve', choice, reason, at, signature
         from vote where choice = 'deny'`,
      /vote of eve on .* in no ledger/,
    ));

  test("on a question that is gone", () =>
    found(`delete from question where answer = 'deny'`, "is on a question that is gone"));

  test("a vote that is moved to another process is found", () =>
    found(`update vote set process = 77 where person = 'bob'`, "carries another process"));
});

describe("a settled question", () => {
  const found = async (sql: string, message: string) =>
    expect((await run(sql)).findings.map((finding) => finding.message)).toContainEqual(
      expect.stringContaining(message),
    );

  test("an answer that is turned round is found", () =>
    found(`update question set answer = 'approve' where answer = 'deny'`, "its votes do not"));

  test("an answer without votes is found", () =>
    found(
      `update question set answer = 'approve', answered_at = 5, answered_by = 'eve' where answered_at is null`,
      "says approve, and its votes do not",
    ));

  test("a withdrawal by nobody is found", () =>
    found(`update question set answer = null where answer = 'deny'`, "was withdrawn by nobody"));

  test("a question that is opened again is found", () =>
    found(
      `update question set answer = null, answered_at = null where answer = 'approve'`,
      "settled it, and it is open",
    ));

  test.each([
    ["question", "'another'"],
    ["digest", "'another'"],
    ["quorum", "1"],
    ["about", `replace(about, 'exec', 'read')`],
  ])("with another %s than people were shown", (column, value) =>
    found(
      `update question set ${column} = ${value} where answer = 'approve'`,
      "was for a question that said something else",
    ),
  );
});

test("a run that retention compacts takes its votes along, and the ledger keeps what was said", async () => {
  const copy = await mkdtemp(join(tmpdir(), "aos-ledger-"));
  await cp(folder, copy, { recursive: true });
  const kernel = await boot({ ...options(copy), retention: { maxRuns: 0 } });

  const { compacted } = await kernel.collect();
  const { findings } = await kernel.verify();
  const entries = await kernel.ledger();
  await kernel.close();
  await rm(copy, { recursive: true, force: true, maxRetries: 20 });

  expect(compacted).toBe(3);
  expect(findings).toEqual([]);
  expect(entries.length).toBe(6);
});

test("what a crash kept from the signed log is logged at the next boot", async () => {
  const first = await mkdtemp(join(tmpdir(), "aos-ledger-"));
  const copy = await mkdtemp(join(tmpdir(), "aos-ledger-"));
  const kernel = await boot(options(first));
  await kernel.wait(await spawnPayer(kernel)); // so that there is a log
  await kernel.verify();
  await cp(first, copy, { recursive: true }); // the log as it was before anybody said anything
  await spawnPayer(kernel, "alice");
  const [question] = await openOf(kernel, 1);
  await kernel.answer(question!.id, { by: "ann", choice: "approve" });
  const said = (await kernel.ledger()).at(-1)!;
  await kernel.close();
  for (const part of ["aos.db", "aos.db-wal"]) await rm(join(copy, part), { force: true });
  await cp(join(first, "aos.db"), join(copy, "aos.db"));

  const again = await boot(options(copy));
  await again.verify();
  await again.close();
  const database = new DatabaseSync(join(copy, "aos.db"));
  database.exec("delete from ledger; delete from vote");
  database.close();
  const late = await bootKernel(options(copy));
  const { findings } = await late.verify();
  await late.close();
  for (const one of [first, copy]) await rm(one, { recursive: true, force: true, maxRetries: 20 });

  expect(findings.map(({ pid }) => pid)).toContain(`ledger:${said.node}`);
});

test("where no log is kept, votes are not signed and the chain is still checked", async () => {
  const bare = await mkdtemp(join(tmpdir(), "aos-ledger-"));
  const { auditFolder: _, ...without } = options(bare);
  const kernel = await boot(without);
  await spawnPayer(kernel, "alice");
  const [question] = await openOf(kernel, 1);
  await kernel.answer(question!.id, { by: "ann", choice: "approve" });
  const sound = await kernel.verify();
  const entries = await kernel.ledger();
  await kernel.close();
  const database = new DatabaseSync(join(bare, "aos.db"));
  database.exec(`update vote set person = 'eve'`);
  database.close();
  const again = await bootKernel(without);
  const changed = await again.verify();
  await again.close();
  await rm(bare, { recursive: true, force: true, maxRetries: 20 });

  expect(sound.findings).toEqual([]);
  expect(entries[0]!.detail).toMatchObject({ signature: null });
  expect(changed.ok).toBe(false);
});
