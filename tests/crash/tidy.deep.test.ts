// A host is killed at every commit while it tidies memory, and while it takes that back. Either nothing has changed or
// everything, and what has changed can be taken back.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { bootTidyHome, fillTidyHome } from "./tidy-home.ts";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "aos-tidy-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** What is remembered in a home, and the tidying that its ledger has. */
async function stateOf(home: string) {
  const kernel = await bootTidyHome(home);
  const { rows } = await kernel.memoryRows({});
  const ledger = await kernel.ledger();
  const verified = await kernel.verify();
  await kernel.close();
  return { rows, done: ledger.filter(({ what }) => what.startsWith("memory.")), verified };
}

/** Kills a host at each commit in turn, until it comes to its end. */
async function killedAtEach(
  { home, when, args }: { home: string; when: string; args: string[] },
  check: (copy: string) => Promise<void>,
): Promise<number> {
  for (let at = 1; ; at++) {
    const copy = newHome();
    cpSync(home, copy, { recursive: true });
    const counter = join(copy, "commits");
    writeFileSync(counter, "");
    const { signal, status, stderr } = spawnSync(
      process.execPath,
      ["--import", path("kill-switch.program.ts"), path("tidy.program.ts"), copy, ...args],
      {
        encoding: "utf8",
        env: { ...process.env, AOS_TEST_KILL: `${at}:${when}`, AOS_TEST_KILL_COUNT: counter },
      },
    );
    const isKilled = signal === "SIGKILL";
    expect([at, isKilled ? 0 : status, stderr]).toEqual([at, 0, ""]);
    await check(copy);
    rmSync(copy, { recursive: true });
    if (!isKilled) return at;
  }
}

test.each(["before", "after"])("TIDY-1: killed %s each commit", async (when) => {
  const home = newHome();
  const kernel = await bootTidyHome(home);
  await fillTidyHome(kernel);
  await kernel.close();
  const before = await stateOf(home);

  const seen = new Set<number>();
  const commits = await killedAtEach({ home, when, args: [] }, async (copy) => {
    const { rows, done, verified } = await stateOf(copy);
    expect(verified).toMatchObject({ ok: true, findings: [] });
    seen.add(rows.length);
    if (rows.length === before.rows.length) return expect(rows).toEqual(before.rows);
    expect(rows).toHaveLength(5);
    expect(done).toMatchObject([{ what: "memory.tidy" }]);
    const again = await bootTidyHome(copy);
    const { id } = done[0]!.detail as { id: string };
    await again.untidyMemory({ id, by: "dana" });
    expect((await again.memoryRows({})).rows).toEqual(before.rows);
    await again.close();
  });

  expect(commits).toBe(2); // it is one: killed at it, and then to its end
  expect([...seen].sort()).toEqual(when === "before" ? [10, 5] : [5]);
});

test.each(["before", "after"])("TIDY-3: taking back, killed %s each commit", async (when) => {
  const home = newHome();
  const kernel = await bootTidyHome(home);
  await fillTidyHome(kernel);
  const { rows: all } = await kernel.memoryRows({});
  const { id } = await kernel.tidyMemory({ by: "dana", olderThanMs: 1, maxRows: 5 });
  const { rows: tidied } = await kernel.memoryRows({});
  await kernel.close();

  const commits = await killedAtEach({ home, when, args: [id!] }, async (copy) => {
    const { rows, verified } = await stateOf(copy);
    expect(verified).toMatchObject({ ok: true, findings: [] });
    expect([all, tidied]).toContainEqual(rows);
  });

  expect(commits).toBe(2);
});
