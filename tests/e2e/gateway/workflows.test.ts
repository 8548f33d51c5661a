// Workflows over HTTP: what a caller of one tenant sees and says of its own, and that it learns of no other.

import type { WorkflowInfo, WorkflowReport } from "@aos/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { until } from "../../helpers/kernel.ts";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
let alice: string;
let bob: string;
let hers: string;
let his: string;

const file = (more: object = {}) => ({
  file: "flow.yaml",
  text: JSON.stringify({
    apiVersion: "aos/v1",
    kind: "Workflow",
    name: "flow",
    signals: { go: { schema: { type: "object", required: ["by"] } } },
    queries: { by: "{{steps.go.by}}" },
    steps: [
      { id: "go", wait: { signal: "go" } },
      { id: "again", wait: { signal: "go" } },
    ],
    result: "{{steps.go.by}} and {{steps.again.by}}",
    ...more,
  }),
});

async function answered<T>(asked: Promise<Response>): Promise<T> {
  const response = await asked;
  const text = await response.text();
  expect([response.status, response.status === 200 ? "" : text]).toEqual([200, ""]);
  return JSON.parse(text) as T;
}

async function begin(token: string): Promise<string> {
  const { pid } = await answered<{ pid: string }>(
    door.call("spawn", { manifest: file() }, { token }),
  );
  await until(async () => (await door.kernel.show(pid)).waitingOn === "message");
  return pid;
}

beforeAll(async () => {
  door = await openFrontDoor();
  alice = door.token("operator", { tenant: "a", name: "alice" });
  bob = door.token("operator", { tenant: "b", name: "bob" });
  hers = await begin(alice);
  his = await begin(bob);
});
afterAll(() => door.close());

test("a caller of one tenant lists, shows, asks and signals its own workflow", async () => {
  const listed = await answered<WorkflowInfo[]>(door.call("workflows", {}, { token: bob }));
  const everybodys = await answered<WorkflowInfo[]>(door.callAsOwner("workflows", {}));
  const shown = await answered<WorkflowReport>(door.call("workflow", { pid: his }, { token: bob }));
  const signal = (body: unknown) =>
    door.call("signalWorkflow", { pid: his, signal: "go", body }, { token: bob });

  expect(listed.map(({ pid, waitsFor }) => [pid, waitsFor])).toEqual([[his, ["message go"]]]);
  expect(everybodys.map(({ pid }) => pid as string).toSorted()).toEqual([hers, his].toSorted());
  expect(shown.graph.map(({ step, state }) => `${step} ${state}`)).toEqual([
    "go waiting",
    "again pending",
  ]);
  expect((await signal("bob")).status).toBe(400);
  await answered(signal({ by: "bob" }));
  await until(async () => {
    const asked = door.call("queryWorkflow", { pid: his, query: "by" }, { token: bob });
    return (await answered<{ value: unknown }>(asked)).value === "bob";
  });
  await answered(signal({ by: "bea" }));
  await door.kernel.wait(his);
  const over = await answered<WorkflowReport>(door.call("workflow", { pid: his }, { token: bob }));
  expect(over).toMatchObject({ state: "completed", result: "bob and bea", done: 2 });
  expect((await signal({ by: "late" })).status).toBe(409);
});

test.each([
  ["workflow", {}],
  ["queryWorkflow", { query: "by" }],
  ["signalWorkflow", { signal: "go", body: { by: "mallory" } }],
  ["takeBack", {}],
] as const)(
  "%s of another tenant's workflow is as of one that is not there",
  async (name, args) => {
    const response = await door.call(name, { pid: hers, ...args }, { token: bob });

    expect(response.status).toBe(404);
    expect((await door.kernel.show(hers)).waitingOn).toBe("message");
  },
);

test("a message that is not declared, a query that is not there, and no workflow are refused", async () => {
  const own = await begin(bob);
  const other = await door.spawn("listen", "b");
  const asks = [
    door.call("signalWorkflow", { pid: own, signal: "stop" }, { token: bob }),
    door.call("queryWorkflow", { pid: own, query: "price" }, { token: bob }),
    door.call("workflow", { pid: other }, { token: bob }),
    door.call("spawn", { manifest: file({ steps: [{ id: "a", loop: {} }] }) }, { token: bob }),
  ];

  const said = await Promise.all(
    asks.map(async (asked) => {
      const response = await asked;
      return [response.status, ((await response.json()) as { hint?: string }).hint ?? ""];
    }),
  );

  expect(said.map(([status]) => status)).toEqual([404, 404, 400, 400]);
  expect(said[0]![1]).toBe("it takes go");
  expect(said[1]![1]).toBe("it has by");
});

test("a viewer asks, and does not signal or take back", async () => {
  const viewer = door.token("viewer", { tenant: "b" });

  const shown = await door.call("workflow", { pid: his }, { token: viewer });
  const told = await door.call("signalWorkflow", { pid: his, signal: "go" }, { token: viewer });
  const taken = await door.call("takeBack", { pid: his }, { token: viewer });

  expect([shown.status, told.status, taken.status]).toEqual([200, 403, 403]);
});
