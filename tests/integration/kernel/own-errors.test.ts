// How a process ends whose program could not go on: whose mistake it was, and with which exit code.

import { exitCodes, SysError } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";

test("what a program throws is its own error, and names the program", async () => {
  const { kernel } = await bootForTest({
    programs: {
      thrower: async () => {
        throw new TypeError("x is not a function");
      },
      leaver: async (sys) => sys.exit(3, null, "nothing to do"),
      relayer: async () => {
        throw new SysError("EUPSTREAM", "the vendor is away");
      },
    },
  });
  const end = async (agent: string) => kernel.wait(await kernel.spawn({ agent }));

  expect(await end("thrower")).toMatchObject({
    exitCode: exitCodes.failed,
    error: {
      code: "EPROGRAM",
      message: "x is not a function",
      hint: expect.stringContaining("thrower") as string,
    },
  });
  expect(await end("leaver")).toMatchObject({ exitCode: 3, error: { code: "EPROGRAM" } });
  expect((await end("relayer")).error?.code).toBe("EUPSTREAM");
});

test("one that cannot go on because what allowed it has expired ends with 100", async () => {
  const { kernel } = await bootForTest({
    programs: {
      late: async (sys) => {
        await sys.sleep((await sys.now()) + 30);
        await sys.exec("look", {});
      },
      bare: async (sys) => {
        await sys.exec("look", {});
      },
    },
  });
  const at = new Date(Date.now() + 20).toISOString();

  const late = await kernel.spawn({
    agent: "late",
    capabilities: [`tool:look:call{expires:${at}}`],
  });
  const bare = await kernel.spawn({ agent: "bare" });

  expect(await kernel.wait(late)).toMatchObject({
    exitCode: exitCodes.leaseExpired,
    error: { code: "EACCES", message: expect.stringContaining("has expired") as string },
  });
  expect((await kernel.wait(bare)).exitCode).toBe(exitCodes.refused);
});
