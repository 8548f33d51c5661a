import type { Role } from "@aos/protocol";
import { expect, test } from "vitest";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { Caller } from "../gateway/caller.ts";
import { operationsAs } from "./operations-as.ts";

const never = new AbortController().signal;

/** Whatever reaches the kernel fails the test. */
function askForTest(role: Role, tenant: string | null) {
  const kernel = new Proxy({}, { get: () => () => expect.unreachable() });
  const gateway = { kernel, closing: never } as unknown as GatewayContext;
  const caller: Caller = { role, tenant, name: "t", id: "t", transport: "socket", gone: never };
  return operationsAs(gateway, caller);
}

test("OPERATIONS-AS-1: what the role may not do is refused", async () => {
  const asked = askForTest("viewer", null)("signal", { pid: "x", signal: "SIGTERM" }, never);

  await expect(asked).rejects.toMatchObject({ code: "EACCES" });
});

test("OPERATIONS-AS-1: what concerns every tenant is refused to a caller of one", async () => {
  const asked = askForTest("operator", "b")("ledger", {}, never);

  await expect(asked).rejects.toMatchObject({ code: "EACCES" });
});

test("OPERATIONS-AS-1: a caller of one tenant names no path of the machine, through the socket neither", async () => {
  const asked = askForTest("operator", "b")("spawn", { agent: "x", cwd: "/etc" }, never);

  await expect(asked).rejects.toMatchObject({
    code: "EACCES",
    message: expect.stringMatching(/path/) as string,
  });
});

test("OPERATIONS-AS-1: what the row does not have is refused", async () => {
  const args = { pid: "x", signal: "SIGTERM", loudly: true } as never;

  await expect(askForTest("operator", null)("signal", args, never)).rejects.toMatchObject({
    code: "EINVAL",
  });
});
