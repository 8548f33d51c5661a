import { SysError } from "@aos/protocol";
import { expect, test } from "vitest";
import { defaultLimits, type KernelOptions } from "../options.ts";
import { bootKernel } from "./kernel.ts";
import { withDefaults } from "./check-options.ts";

const refusalOf = async (options: object): Promise<unknown> =>
  bootKernel(options as KernelOptions).then(
    (kernel) => kernel.close(),
    (error: unknown) => error,
  );

test.each([
  [{ limits: { treeProcess: 3 } }, "unknown option limits.treeProcess"],
  [{ admission: { runing: 1 } }, "unknown option admission.runing"],
  [{ retention: { maxAge: 1 } }, "unknown option retention.maxAge"],
  [{ approvals: { perDay: 1 } }, "unknown option approvals.perDay"],
])("CHECK-OPTIONS-1: an unknown name is refused: %j", async (options, message) => {
  const refusal = await refusalOf(options);

  expect(refusal).toBeInstanceOf(SysError);
  expect(refusal).toMatchObject({ code: "EINVAL", message });
});

test.each([
  [{ limits: { spawnDepth: "3" } }, "limits.spawnDepth"],
  [{ limits: { spawnDepth: Number.NaN } }, "limits.spawnDepth"],
  [{ limits: { treeProcesses: -1 } }, "limits.treeProcesses"],
  [{ unloadAfterMs: "1s" }, "unloadAfterMs"],
  [{ durability: "always" }, "durability"],
  [{ store: { folder: "x" } }, "store"],
])("CHECK-OPTIONS-2: a limit that is no number is refused: %j", async (options, name) => {
  const refusal = await refusalOf(options);

  expect(refusal).toMatchObject({ code: "EINVAL", message: expect.stringContaining(name) });
});

test("CHECK-OPTIONS-2: where a limit is undefined the default holds", () => {
  const limits = withDefaults(defaultLimits, { spawnDepth: undefined as never, deadLetters: 1 });

  expect(limits).toEqual({ ...defaultLimits, deadLetters: 1 });
});

test("a secret key that is none is refused as other options are, and is not in the message", async () => {
  const refusal = await refusalOf({ secretKey: "hunter2" });

  expect(refusal).toBeInstanceOf(SysError);
  expect(refusal).toMatchObject({ code: "EINVAL" });
  expect((refusal as SysError).message).not.toContain("hunter2");
});
