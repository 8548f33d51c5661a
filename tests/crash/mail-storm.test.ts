// A sample of mail-storm.deep.test.ts.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { expectAllHandledOnce, runStorm } from "./mail-storm.ts";

test("messages among agents are handled once and in order, although their host is killed (SQLite)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-mail-storm-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  const storm = { store: { file: join(folder, "aos.db") }, agents: 10, rounds: 5, perRound: 4 };

  for (const killAfterMs of [60, 150]) await runStorm(storm, killAfterMs);

  await expectAllHandledOnce(storm);
});
