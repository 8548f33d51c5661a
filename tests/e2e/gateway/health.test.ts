// Whether the daemon lives and takes work, and what it tells Prometheus.

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
beforeAll(async () => {
  door = await openFrontDoor();
});
afterAll(() => door.close());

const metrics = async (token?: string) =>
  door.ask("GET", "/metrics", token === undefined ? {} : { token });

test("it lives and is ready without a token", async () => {
  const alive = await door.ask("GET", "/healthz");
  const ready = await door.ask("GET", "/readyz");

  expect([alive.status, ready.status]).toEqual([200, 200]);
  expect(await ready.json()).toEqual({ status: "ready" });
});

test("metrics are for viewers of all tenants", async () => {
  const statuses = [
    (await metrics()).status,
    (await metrics(door.token("viewer", { tenant: "a" }))).status,
    (await metrics(door.token("viewer"))).status,
  ];

  expect(statuses).toEqual([401, 403, 200]);
});

test("what is done after the first look is counted, and no process is named", async () => {
  const token = door.token("viewer");
  await metrics(token);
  const pid = await door.kernel.spawn({ agent: "echo", input: "hi" });
  await door.kernel.wait(pid);

  await vi.waitFor(async () => {
    const text = await (await metrics(token)).text();
    expect(text).toMatch(/^aos_processes_started_total 1$/m);
    expect(text).toMatch(/^aos_processes_ended_total\{state="completed",code="0"\} 1$/m);
    expect(text).toMatch(/^aos_processes\{state="completed"\} 1$/m);
    expect(text).toMatch(/^aos_process_resident_memory_bytes /m);
    expect(text).not.toContain(pid);
  });
});

test("a kernel that is closed is not ready", async () => {
  const other = await openFrontDoor();
  await other.kernel.close();

  const ready = await other.ask("GET", "/readyz");

  expect(ready.status).toBe(503);
  await other.close();
});
