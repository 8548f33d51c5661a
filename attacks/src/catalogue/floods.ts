// I, second part: programs that exceed limits or act on other processes.

import { codeOf, sleepMs, tried, type AttackRow } from "./row.ts";

const CALL = "kernel/src/process/call.ts";
const RUNNER = "kernel/src/scheduler/runner.ts";
export const floodAttacks: readonly AttackRow[] = [
  {
    id: "I8",
    name: "exceed the limit of calls in progress",
    stoppedBy: RUNNER,
    needs: ["small limits"],
    run: async (range) => {
      let most = 0;
      await range.runHostile(
        (listener) => {
          for (let i = 0; i < 1500; i++)
            listener.call(i, "exec", { tool: "range.set", args: { ms: 300 } });
          setTimeout(() => {
            most = range.runs.length;
            listener.ended({ kind: "returned", output: null });
          }, 200);
        },
        ["tool:range.set:call"],
      );
      return tried(most > 1000, `${most} at once`);
    },
  },
  {
    id: "I9",
    name: "exceed the size limit of arguments",
    stoppedBy: CALL,
    needs: ["small limits"],
    run: async (range) => {
      const data = "x".repeat(17 * 2 ** 20);
      let code = "";
      await range.run(
        async (sys) => void (code = await codeOf(sys.write("/mem/working/a", data))),
        {
          capabilities: ["memory:/mem/**:*"],
        },
      );
      return tried(code === "ok", `17 MiB: ${code}`);
    },
  },
  {
    id: "I10",
    name: "repeat refused calls without end",
    stoppedBy: "kernel/src/syscall/gate.ts",
    needs: ["small limits"],
    run: async (range) => {
      let tries = 0;
      await range.run(async (sys) => {
        for (; tries < 130; tries++) await codeOf(sys.exec("range.pay", { tries }));
      });
      return tried(tries > 120, `it could try ${tries} times`);
    },
  },
  {
    id: "I11",
    name: "ignore SIGKILL",
    stoppedBy: "kernel/src/signal/disposition.ts",
    run: async (range) => {
      let isReady = false;
      const pid = await range.start(async (sys) => {
        await codeOf(sys.mask(["SIGKILL", "SIGTERM"]));
        await codeOf(sys.handle("SIGKILL", "ignore"));
        isReady = true;
        await sys.receive();
      });
      await range.until(() => isReady, "the mask");
      await codeOf(range.kernel.signal(pid, "SIGKILL"));
      await sleepMs(30);
      const { state } = await range.kernel.show(pid);
      if (state !== "killed") await range.kernel.send(pid, "enough");
      return tried(state !== "killed", `it is ${state}`);
    },
  },
  {
    id: "I12",
    name: "kill a process that is not its child",
    stoppedBy: "kernel/src/syscall/action.ts",
    run: async (range) => {
      const victim = await range.start(async (sys) => sys.receive(), { as: "victim" });
      await range.run(async (sys) => codeOf(sys.signal(victim, "SIGKILL")));
      const { state } = await range.kernel.show(victim);
      return tried(state === "killed", `the victim is ${state}`);
    },
  },
  {
    id: "I13",
    name: "send a message to a process that is neither its parent nor its child",
    stoppedBy: "kernel/src/syscall/action.ts",
    run: async (range) => {
      let heard = false;
      const victim = await range.start(
        async (sys) => {
          await sys.receive();
          heard = true;
        },
        { as: "victim" },
      );
      await range.run(async (sys) => codeOf(sys.send(victim, "an order")));
      await sleepMs(20);
      return tried(heard, heard ? "the message was delivered" : "the message was not delivered");
    },
  },
];
