// I, first part: programs that break the protocol. They send what no client library would send.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "@aos/protocol";
import type { Range } from "../range.ts";
import { paid, PAY } from "./chains.ts";
import { sleepMs, tried, type AttackRow } from "./row.ts";
import { processesWith } from "./sandbox.ts";

const CALL = "kernel/src/process/call.ts";
const RUNNER = "kernel/src/scheduler/runner.ts";
const FOREIGN = "drivers/src/programs/foreign-program.ts";

const TO_ALICE = `tool:range.set:call{pin.to:"alice"}`;

/** Calls with a deceptive object and inspects what the tool received. */
const deceive = (argsOf: () => { args: Json; afterwards?: () => void }) => async (range: Range) => {
  await range.runHostile(
    (listener) => {
      const { args, afterwards } = argsOf();
      listener.call(1, "exec", { tool: "range.set", args });
      afterwards?.();
      setTimeout(() => listener.ended({ kind: "returned", output: null }), 40);
    },
    [TO_ALICE],
  );
  const given = range.runs.map(({ args }) => (args as { to?: string }).to ?? null);
  return tried(given.includes("bob"), `the tool was given ${JSON.stringify(given)}`);
};

/** A program in its own process, given as the lines that it writes. */
async function speak(range: Range, lines: readonly object[], more = ""): Promise<void> {
  const said = lines.map((line) => JSON.stringify({ jsonrpc: "2.0", ...line }));
  const text = `process.stdout.write(${JSON.stringify(`${said.join("\n")}\n`)});${more}`;
  await writeFile(join(range.work, "program.cjs"), text);
  await range.runCommand(["node", "program.cjs"], [PAY, "tool:range.set:call"]);
}

const exit = { id: 9, method: "exit", params: { code: 0 } };
const payNow = (id: unknown) => ({
  id,
  method: "exec",
  params: { tool: "range.pay", args: {} },
});

export const protocol: readonly AttackRow[] = [
  {
    id: "I1",
    name: "change the arguments after the call was made",
    stoppedBy: CALL,
    run: deceive(() => {
      const args = { to: "alice" };
      return {
        args,
        afterwards: () => {
          setImmediate(() => (args.to = "bob"));
          args.to = "alice";
        },
      };
    }),
  },
  {
    id: "I2",
    name: "pass an argument whose value changes at each read",
    stoppedBy: CALL,
    run: deceive(() => {
      let looks = 0;
      const args = {
        get to() {
          return (looks += 1) < 3 ? "alice" : "bob";
        },
      };
      return { args };
    }),
  },
  {
    id: "I3",
    name: "show the gate another object than the tool, with toJSON",
    stoppedBy: CALL,
    run: deceive(() => ({
      args: { to: "bob", toJSON: () => ({ to: "alice" }) } as unknown as Json,
    })),
  },
  {
    id: "I4",
    name: "make a call after its end",
    stoppedBy: RUNNER,
    run: async (range) => {
      await range.runHostile(
        (listener) => {
          listener.ended({ kind: "returned", output: null });
          setTimeout(() => listener.call(1, "exec", { tool: "range.pay", args: {} }), 20);
        },
        [PAY],
      );
      await sleepMs(60);
      return paid(range);
    },
  },
  {
    id: "I5",
    name: "write to standard output after exit",
    stoppedBy: FOREIGN,
    run: async (range) => {
      await speak(range, [exit, payNow(1)], "setTimeout(() => {}, 200);");
      return paid(range);
    },
  },
  {
    id: "I6",
    name: "leave a program running after its end",
    stoppedBy: "drivers/src/sandbox/run.ts",
    needs: ["proc"],
    run: async (range) => {
      const word = `60.${process.hrtime.bigint()}`;
      // Its parent ends at once, so that its origin is lost.
      const away = `(setsid sleep ${word} </dev/null >/dev/null 2>&1 &)`;
      const start = `require("node:child_process").execFileSync("sh", ["-c", ${JSON.stringify(away)}]);`;
      await speak(range, [exit], start);
      const left = processesWith(word);
      for (const pid of left) process.kill(pid, "SIGKILL");
      return tried(
        left.length > 0,
        left.length > 0 ? "its child is still running" : "its child has ended",
      );
    },
  },
  {
    id: "I7",
    name: "reuse the id of a call in progress",
    stoppedBy: FOREIGN,
    run: async (range) => {
      const sleep = { id: 1, method: "sleep", params: { until: Date.now() + 200 } };
      await speak(range, [sleep, payNow(1)], "setTimeout(() => {}, 400);");
      return paid(range);
    },
  },
];
