// Evaluations for a caller of one tenant: it starts, lists, shows, compares and ends its own, and learns of no other.

import type { EvalInfo, EvalReport } from "@aos/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { echoEval } from "../echo-eval.ts";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
let alice: string;
let bob: string;
let hers: string;
let his: string;

const told = async <T>(asked: Promise<Response>): Promise<T> => {
  const response = await asked;
  expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""]);
  return (await response.json()) as T;
};

async function evaluate(token: string): Promise<string> {
  const { pid } = await told<{ pid: string }>(
    door.call("startEval", { file: echoEval }, { token }),
  );
  expect(await door.kernel.wait(pid, { timeoutMs: 120_000 })).toMatchObject({ state: "completed" });
  return pid;
}

beforeAll(async () => {
  door = await openFrontDoor();
  alice = door.token("operator", { tenant: "a", name: "alice" });
  bob = door.token("operator", { tenant: "b", name: "bob" });
  hers = await evaluate(alice);
  his = await evaluate(bob);
});
afterAll(() => door.close());

test("its runs belong to its tenant, below its ceiling", async () => {
  const report = await told<EvalReport>(door.call("eval", { pid: his }, { token: bob }));
  const [run] = report.results;
  const shown = await door.kernel.show(run!.pid!);

  expect(run).toMatchObject({ case: "one", state: "passed" });
  expect([shown.tenant, (await door.kernel.show(his)).tenant]).toEqual(["b", "b"]);
});

test("a list has those of the tenant only, and a data set its runs only", async () => {
  const list = await told<EvalInfo[]>(door.call("evals", {}, { token: bob }));
  const { cases } = await told<{ cases: { metadata: { pid: string } }[] }>(
    door.call("evalDataset", {}, { token: bob }),
  );
  const tenants = await Promise.all(
    cases.map(async ({ metadata }) => (await door.kernel.show(metadata.pid)).tenant),
  );

  expect(list.map(({ pid }) => pid)).toEqual([his]);
  expect(tenants.length).toBeGreaterThan(0);
  expect(new Set(tenants)).toEqual(new Set(["b"]));
});

test.each(["eval", "resumeEval", "cancelEval"] as const)(
  "%s of another's is of none",
  async (name) => {
    expect((await door.call(name, { pid: hers }, { token: bob })).status).toBe(404);
  },
);

test("is compared with none of another tenant", async () => {
  const both = [
    { pid: his, other: hers },
    { pid: hers, other: his },
  ];
  const asked = await Promise.all(
    both.map((args) => door.call("compareEvals", args, { token: bob })),
  );

  expect(asked.map(({ status }) => status)).toEqual([404, 404]);
});

test("names no path of the machine", async () => {
  const paths = [
    { cwd: "/etc" },
    { workspaceFolder: "/etc" },
    { agentFolders: [{ ref: "x", folder: "/etc" }] },
  ];
  for (const path of paths) {
    const response = await door.call("startEval", { file: echoEval, ...path }, { token: bob });
    expect(await response.json()).toMatchObject({ code: "EACCES" });
  }
});
