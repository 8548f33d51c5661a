import { type ModelContext, type ModelDriver, SysError, type SyscallArgs } from "@aos/protocol";
import { expect, test } from "vitest";
import { hintingAtKeys } from "./key-hint.ts";

const failing = (error: Error): ModelDriver => ({
  provider: "lab",
  egress: true,
  worstCase: () => ({ usd: 0, tokens: 0 }),
  infer: async () => {
    throw error;
  },
});

const ask = (error: Error, keySecret?: string) =>
  hintingAtKeys(failing(error), keySecret).infer({} as SyscallArgs<"infer">, {} as ModelContext);

const detail = { secret: "LAB_API_KEY" };

test.each([
  new SysError("ENOENT", "unknown secret LAB_API_KEY", { detail }),
  new SysError("EACCES", "the secret LAB_API_KEY may not be used in the header x", { detail }),
])("$message: how to set it is said", async (error) => {
  await expect(ask(error, "LAB_API_KEY")).rejects.toMatchObject({
    code: error.code,
    message: expect.stringContaining("no API key for lab"),
    hint: "set it with: aos configure --provider lab",
  });
});

test.each([
  new SysError("ENOENT", "unknown secret 2", { detail: { secret: "LAB_API_KEY_2" } }),
  new SysError("ENOENT", "the words alone: unknown secret LAB_API_KEY"),
  new SysError("EUPSTREAM", "the secret LAB_API_KEY is wrong", { detail }),
  new Error("unknown secret LAB_API_KEY"),
])("$message: what is something else stays as it is", async (error) => {
  await expect(ask(error, "LAB_API_KEY")).rejects.toBe(error);
});
