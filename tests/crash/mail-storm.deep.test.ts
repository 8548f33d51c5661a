// 10,000 messages among 100 agents, with the host killed at random: each is handled once, the order of each sender is
// kept, and none is lost, on SQLite and on PostgreSQL.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { startPostgres } from "../helpers/postgres.ts";
import { expectAllHandledOnce, runStorm, type MailStorm } from "./mail-storm.ts";

const SIZE = { agents: 100, rounds: 10, perRound: 10 };
const KILLS = 20;
const LONGEST_MS = 2500;

/** The same moments each time, as far as a machine keeps them. */
function* moments(): Generator<number> {
  let seed = 7;
  for (let kill = 0; kill < KILLS; kill++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield 50 + (seed % LONGEST_MS);
  }
}

async function throughKills(storm: MailStorm): Promise<void> {
  let kills = 0;
  for (const killAfterMs of moments()) if (!(await runStorm(storm, killAfterMs))) kills += 1;
  if (kills === 0) throw new Error("it was never killed: nothing was tried");
  await expectAllHandledOnce(storm);
}

test("every message is handled once on SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-mail-storm-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

  await throughKills({ store: { file: join(folder, "aos.db") }, ...SIZE });
}, 1_800_000);

test("every message is handled once on PostgreSQL", async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const { url } = await server.createDatabase();

  await throughKills({ store: { url }, ...SIZE });
}, 1_800_000);
