import type { Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, callsOf, codeOf, kindsOf, TOOLS, until } from "../../helpers/kernel.ts";

const vault: Tool = {
  name: "vault",
  version: "1",
  description: "gives a secret",
  input: {},
  effect: "read",
  label: { integrity: "trusted", secrecy: "secret" },
  touches: () => [],
  run: async () => "42",
};

test("what is secret does not leave the machine, through nobody's hands", async () => {
  const { kernel, runs } = await bootForTest({
    tools: [vault],
    programs: {
      reader: async (sys) => {
        const secret = await sys.exec("vault", {});
        await sys.write("/mem/shared/secret", secret);
        return secret;
      },
      byWait: async (sys) => {
        const child = await sys.spawn("reader", null, {
          capabilities: ["tool:vault:call", "memory:/mem/**:*"],
        });
        const { output } = await sys.wait(child);
        return codeOf(sys.exec("pay", { output }));
      },
      byFile: async (sys) => {
        const secret = await sys.read("/mem/shared/secret");
        return codeOf(sys.exec("pay", { secret }));
      },
      itself: async (sys) => {
        await sys.exec("vault", {});
        const outside = await codeOf(sys.exec("pay", {}));
        const inside = await codeOf(sys.exec("look", {}));
        return [outside, inside, await codeOf(sys.infer({ model: "fake/x", messages: [] }))];
      },
    },
  });
  const capabilities = [
    ...TOOLS,
    "tool:vault:call",
    "memory:/mem/**:*",
    "agent:*:spawn",
    "model:*:infer",
  ];

  const outputs = [];
  for (const agent of ["byWait", "byFile", "itself"])
    outputs.push((await kernel.wait(await kernel.spawn({ agent, capabilities }))).output);

  expect(outputs).toEqual(["EPOLICY", "EPOLICY", ["EPOLICY", "ok", "EPOLICY"]]);
  expect(runs.filter(({ tool }) => tool === "pay")).toEqual([]);
});

test("what was read before a fresh start stays read, also after a restart", async () => {
  const booted = await bootForTest({
    tools: [vault],
    programs: {
      forgetful: async (sys) => {
        const isFirst = (await codeOf(sys.write("/mem/episodic/been", 1))) === "ok";
        if (isFirst) {
          await sys.exec("vault", {});
          throw new Error("begin anew");
        }
        await sys.receive();
        return codeOf(sys.exec("pay", {}));
      },
    },
  });
  const pid = await booted.kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "forgetful",
      program: "forgetful",
      capabilities: [...TOOLS, "tool:vault:call", "memory:/mem/**:*"],
      restart: { on: ["error"], backoff: "1ms" },
    },
  });
  await until(async () => kindsOf(await booted.kernel.journal(pid)).includes("restart"), "restart");
  await until(async () => (await booted.kernel.show(pid)).waitingOn === "message", "waiting");

  const { kernel } = await booted.again();

  await kernel.send(pid, "go on");
  expect((await kernel.wait(pid)).output).toBe("EPOLICY");
  expect(callsOf(await kernel.journal(pid)).at(-1)).toBe("exec EPOLICY");
});
