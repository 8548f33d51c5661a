// What expires stops what runs by it, as a revocation does. The clock stands still until it is set.

import type { Touch } from "@aos/protocol";
import { expect, test } from "vitest";
import { attenuateBlock, parseCapability } from "../capability/index.ts";
import { gateOf } from "../../../tests/helpers/kernel/gate.ts";
import { TEST_NOW, toolOf } from "../../../tests/helpers/kernel/process.ts";

const HOST: Touch = { kind: "http", resource: "api.example.com/v1", verb: "get" };
/** Long enough to begin under; the clock is looked at again and again until it has passed. */
const LEASE = "{expires:50ms}";

/** A tool that runs until it is stopped, and a clock. */
function begin(capabilities: readonly string[], touches: readonly Touch[] = []) {
  let now = TEST_NOW;
  const seen = { runs: 0, stops: 0 };
  const slow = toolOf("slow", {
    run: (_args, context) =>
      new Promise((_resolve, reject) => {
        context.signal.addEventListener("abort", () => {
          seen.stops += 1;
          reject(new Error("stopped"));
        });
        for (const touch of touches) context.authorize(touch);
        seen.runs += 1;
      }),
  });
  const made = gateOf({
    capabilities,
    tools: [slow],
    services: { platform: { now: () => now, random: () => 0.5 } } as never,
  });
  const ended = made.pass("exec", { tool: "slow", args: {} });
  return { ...made, seen, ended, pass: (ms: number) => void (now += ms) };
}

const running = (seen: { runs: number }) =>
  expect.poll(() => seen.runs, { timeout: 60_000 }).toBe(1);

test("a tool that runs is stopped when the grant that it stands on expires", async () => {
  const { seen, ended, pass, records } = begin([`tool:slow:call${LEASE}`]);
  await running(seen);

  pass(50);

  expect(await ended).toBe("EACCES");
  expect(seen.stops).toBe(1);
  expect(records.at(-1)).toMatchObject({
    err: { message: "the grant that it used has expired" },
  });
});

test("what it turned out to touch counts as well", async () => {
  const { seen, ended, pass } = begin(
    ["tool:slow:call", `http:api.example.com/**:get${LEASE}`],
    [HOST],
  );
  await running(seen);

  pass(50);

  expect(await ended).toBe("EACCES");
});

test("it goes on where another grant allows the same, and is stopped when that one expires", async () => {
  const { seen, ended, pass, process } = begin([`tool:slow:call${LEASE}`]);
  await running(seen);
  const longer = [parseCapability("tool:slow:call{expires:1h}")];
  process.holdings.add({
    handle: "h",
    block: attenuateBlock(null, longer, { id: "g", mintedAt: TEST_NOW }),
  });
  const [call] = process.pending.values();

  pass(50);
  await expect.poll(() => call!.expiresAt, { timeout: 60_000 }).toBe(TEST_NOW + 3_600_000);
  expect(seen.stops).toBe(0);
  process.holdings.remove("h");
  pass(3_600_000);
  call!.onExpiryChange!();

  expect(await ended).toBe("EACCES");
});
