// Power from the command line: seen, given, taken back, explained, and sent on its way as a token.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PowerReport, RevokeReport } from "@aos/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorld, ECHO, manifest, write, type Step, type World } from "./world.ts";

let world: World;

const HEAR: Step = ["receive", {}];
const CALL = JSON.stringify(ECHO[1]);

beforeAll(async () => {
  world = createWorld({ "agents/other.yaml": manifest("other", []) });
  write(world.folder, { "bare.yaml": manifest("bare", []), "other.yaml": manifest("other", []) });
  await world.home.aos("up", "-d");
});
afterAll(() => world.remove());

describe("holdings", () => {
  test("show says what a process holds, by what chain, under which policy and label", async () => {
    const pid = await world.does([HEAR]);

    const shown = (await world.aos("caps", "show", pid, "-o", "json")).json() as PowerReport;
    const text = (await world.aos("caps", "show", pid)).stdout;

    expect(shown).toMatchObject({ pid, agent: "doer", colour: "BLUE", layers: ["kernel"] });
    expect(shown.holdings[0]).toMatchObject({ handle: "birth", state: "held" });
    expect(text).toContain("tool:echo:call");
    expect(text).toContain("trusted/public (BLUE)");
    await world.aos("kill", "-KILL", pid);
  });

  test("a grant counts at once, and a revocation too; the ledger has both", async () => {
    const pid = await world.does([HEAR, ECHO, HEAR, ECHO], "bare.yaml");
    await world.until(pid, "waiting");

    const granted = await world.aos("caps", "grant", pid, "tool:echo:call", "--reason", "a try");
    const handle = granted.stdout.trim();
    const shown = (await world.aos("caps", "show", pid, "-o", "json")).json() as PowerReport;
    await world.aos("send", pid, "go");
    await world.until(pid, "waiting");
    await repeatUntilSecondHear(pid);
    const revoked = await world.aos("caps", "revoke", handle, "-o", "json");
    await world.aos("send", pid, "again");
    const did = await world.did(pid);

    expect(shown.holdings[1]).toMatchObject({ handle, state: "held", reason: "a try" });
    expect((revoked.json() as RevokeReport).revoked).toEqual([handle]);
    expect([did[1], did[3]]).toEqual([{ text: "hi" }, "EACCES"]);
    const entries = (await world.ledger()).filter(({ detail }) =>
      JSON.stringify(detail).includes(handle),
    );
    expect(entries.map(({ what }) => what)).toEqual(["grant", "revoke"]);
  });

  test("a grant to an agent is held by its later processes until it expires or is revoked", async () => {
    const granted = await world.aos(
      "caps",
      "grant",
      "--agent",
      "other",
      "tool:echo:call",
      "--expires",
      "1h",
      "-o",
      "json",
    );
    const { handle } = granted.json() as { handle: string };
    const before = await world.does([ECHO], "other");
    const namesake = await world.does([ECHO], "other.yaml");
    const standing = (await world.aos("caps", "show", "other", "-o", "json")).json() as PowerReport;
    await world.aos("caps", "revoke", handle);
    const after = await world.does([ECHO], "other");

    expect(standing.holdings[0]).toMatchObject({ handle, expiresAt: expect.any(String) });
    expect(await world.did(before)).toEqual([{ text: "hi" }]);
    expect(await world.did(namesake)).toEqual(["EACCES"]); // a folder chooses its agents' names
    expect(await world.did(after)).toEqual(["EACCES"]);
  });

  test.each([
    [["caps", "grant"], /no recipient\nhint: pass a PID, or --agent NAME/],
    [["caps", "grant", "@last"], /capabilities or --token/],
    [["caps", "grant", "@last", "x:y:z", "--token", "aos1.x"], /capabilities or --token/],
    [["caps", "grant", "--agent", "doer", "flie:/x:read"], /flie/],
    [["caps", "grant", "--agent", "doer", "tool:echo:call", "--expires", "1"], /--expires/],
    [["caps", "suggest", "doer", "--widen", "all"], /--widen/],
  ])("%j is a usage error", async (words, said) => {
    const ran = await world.aos(...words);

    expect(ran.stderr).toMatch(said);
    expect(ran.code).toBe(2);
  });

  /** Its second `receive` is recorded as begun when the first `exec` has ended. */
  async function repeatUntilSecondHear(pid: string): Promise<void> {
    for (let i = 0; i < 100; i++) {
      const logs = (await world.aos("logs", pid)).stdout;
      if (logs.includes('"call":"exec"')) return;
    }
  }
});

describe("explaining", () => {
  test("check says what the gate would say, and its exit code is the verdict", async () => {
    const pid = await world.does([HEAR]);

    const yes = await world.aos("caps", "check", pid, "exec", CALL, "-o", "json");
    const no = await world.aos(
      "caps",
      "check",
      pid,
      "exec",
      '{"tool":"http.fetch","args":{"url":"https://a.example/"}}',
    );

    expect(yes.json()).toEqual({ allow: true });
    expect(yes.code).toBe(0);
    expect(no.stdout).toMatch(/refused \(EACCES\)[^]*tool:http\.fetch:call/);
    expect(no.code).toBe(96);
    await world.aos("kill", "-KILL", pid);
  });

  test("why explains the last refusal, or the record that is named", async () => {
    const pid = await world.does([ECHO], "bare.yaml");
    await world.did(pid);

    const why = await world.aos("caps", "why", pid, "-o", "json");
    const { seq } = why.json() as { seq: number };
    const text = await world.aos("caps", "why", pid, String(seq));

    expect(why.json()).toMatchObject({ pid, call: "exec", outcome: "refused", code: "EACCES" });
    expect(text.stdout).toMatch(/outcome +refused \(EACCES\)/);
  });

  test("suggest writes the smallest manifest, and not over another", async () => {
    const pid = await world.does([ECHO], "doer.yaml");
    await world.did(pid);
    const file = join(world.folder, "small.yaml");

    const printed = await world.aos("caps", "suggest", pid);
    const written = await world.aos("caps", "suggest", pid, "--write", file, "-o", "json");
    const again = await world.aos("caps", "suggest", pid, "--write", file);

    expect(printed.stdout).toContain("tool:echo:call");
    expect(printed.stdout).not.toContain("message:*:receive");
    expect(printed.stderr).toContain("never used: message:*:receive");
    expect(written.json()).toMatchObject({ of: pid, runs: 1 });
    expect(readFileSync(file, "utf8")).toBe(printed.stdout);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("already exists");
  });
});

describe("tokens", () => {
  test.each([[[]], [["--signed"]]])(
    "a token minted as %j is attenuated, verified, used and revoked",
    async (how) => {
      const minted = await world.aos(
        "caps",
        "mint",
        "tool:*:call",
        "--expires",
        "1h",
        ...how,
        "-o",
        "json",
      );
      const { token, ids } = minted.json() as { token: string; ids: string[] };
      const narrow = await world.aos("caps", "attenuate", token, "tool:echo:call");
      const less = narrow.stdout.trim();
      const verified = await world.home.aosWith(
        { stdin: less },
        "caps",
        "verify",
        "-",
        "-o",
        "json",
      );
      const pid = await world.does([HEAR, ECHO], "bare.yaml");
      await world.until(pid, "waiting");

      const granted = await world.home.aosWith(
        { stdin: less },
        "caps",
        "grant",
        pid,
        "--token",
        "-",
      );
      await world.aos("send", pid, "go");

      expect(verified.json()).toMatchObject({
        ok: true,
        blocks: [{ capabilities: ["tool:*:call"] }, { capabilities: ["tool:echo:call"] }],
      });
      expect(granted.code).toBe(0);
      expect((await world.did(pid))[1]).toEqual({ text: "hi" });

      await world.aos("caps", "revoke", ids[0] ?? "");
      const after = await world.aos("caps", "verify", less, "-o", "json");
      expect(after.json()).toMatchObject({ ok: false, code: "revoked" });
      expect(after.code).toBe(96);
    },
  );

  test("what is no token, and a capability that is none, are refused", async () => {
    const token = (await world.aos("caps", "mint", "tool:echo:call")).stdout.trim();
    const changed = `${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`;

    const verified = await world.aos("caps", "verify", changed);
    const broken = await world.aos("caps", "attenuate", "aos1.nonsense", "tool:echo:call");
    const bad = await world.aos("caps", "attenuate", token, "tool:echo:smell");

    expect(verified.code).toBe(96);
    expect([broken.code, bad.code]).toEqual([2, 2]);
    expect(bad.stderr).toContain("smell");
  });
});
