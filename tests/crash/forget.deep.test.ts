// A host is killed at every commit while it forgets. What is left verifies at any moment, and the same request again
// removes the rest.

import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { filesWith, fillHome, newHome, open, WHO } from "../integration/memory/forgetting-home.ts";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

test.each(["before", "after"])("FORGET-2: killed %s each commit", async (when) => {
  const home = newHome();
  const first = await open(home);
  const { bystander } = await fillHome(first);
  const journal = await first.journal(bystander);
  await first.close();

  for (let at = 1, isKilled = true; isKilled; at++) {
    const folder = newHome();
    cpSync(home, folder, { recursive: true });
    const counter = join(folder, "commits");
    writeFileSync(counter, "");
    const { signal, status, stderr } = spawnSync(
      process.execPath,
      ["--import", path("kill-switch.program.ts"), path("forget.program.ts"), folder],
      {
        encoding: "utf8",
        env: { ...process.env, AOS_TEST_KILL: `${at}:${when}`, AOS_TEST_KILL_COUNT: counter },
      },
    );
    isKilled = signal === "SIGKILL";
    expect([at, isKilled ? 0 : status, stderr]).toEqual([at, 0, ""]);
    if (!isKilled) expect(at).toBeGreaterThan(4);

    const next = await open(folder);
    expect(await next.verify()).toMatchObject({ ok: true, findings: [] });
    await next.forgetMemory({ about: WHO, by: "dana" });
    expect(await next.verify()).toMatchObject({ ok: true, findings: [] });
    expect(await next.journal(bystander)).toEqual(journal);
    expect(await next.replay(bystander)).toMatchObject({ identical: true });
    await next.close();
    expect(filesWith(folder, /alice\W+quillmore/i)).toEqual([]);
    rmSync(folder, { recursive: true });
  }
  rmSync(home, { recursive: true });
});
