// Webhooks over the network: only what is signed starts a run, once.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../helpers/kernel.ts";
import { signedHeaders } from "../../helpers/webhook.ts";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

const by = "tester";
const KEY = "the key of this webhook";
let door: FrontDoor;

const hook = (name: string, more: Record<string, unknown> = {}) => ({
  apiVersion: "aos/v1",
  kind: "Schedule",
  name,
  on: { webhook: { secret: "HOOK_KEY", maxBytes: "1KiB", ...more } },
  agent: "echo",
});

beforeAll(async () => {
  door = await openFrontDoor();
  for (const tenant of ["default", "a"]) {
    const value = tenant === "a" ? `${KEY} of a` : KEY;
    const bindings = [{ kind: "service", service: "hook:push" }] as never[];
    await door.kernel.setSecret({ tenant, name: "HOOK_KEY", value, bindings }, by);
    await door.kernel.createSchedule({ tenant, schedule: hook("push"), by });
  }
  await door.kernel.createSchedule({ schedule: hook("unbound"), by });
});
afterAll(() => door.close());

interface Sending {
  readonly id?: string;
  readonly key?: string;
  readonly body?: string;
  readonly ageS?: number;
  readonly headers?: Record<string, string>;
}

function send(path: string, { id = "d", key = KEY, body = "{}", ageS = 0, headers }: Sending = {}) {
  return fetch(door.url + path, {
    method: "POST",
    body,
    headers: { ...signedHeaders({ id, key, body, ageS }), ...headers },
  });
}

const starts = async (tenant = "default") =>
  (await door.kernel.scheduleTicks("push", { tenant })).length;

describe("a webhook", () => {
  test("that is signed starts a run, and the same delivery gets the same answer (HOOK-ROUTES-2)", async () => {
    const body = JSON.stringify({ ref: "main" });
    const first = await send("/hooks/push", { id: "one", body });
    const said = (await first.json()) as { pid: string };
    const again = (await (await send("/hooks/push", { id: "one", body })).json()) as {
      pid: string;
    };

    expect(first.status).toBe(202);
    expect(said).toMatchObject({ schedule: "push", id: "one", outcome: "started" });
    expect(again.pid).toBe(said.pid);
    const { output } = await door.kernel.wait(said.pid);
    expect(output).toMatchObject({ id: "one", body: { ref: "main" } });
    expect(await starts()).toBe(1);
  });

  test("whose signature is wrong, old or another schedule's starts nothing, and the ledger has it (HOOK-ROUTES-1)", async () => {
    const before = await starts();

    const answers = await Promise.all([
      send("/hooks/push", { id: "x", key: "a wrong key" }),
      send("/hooks/push", { id: "x", ageS: 3600 }),
      send("/hooks/push", { id: "x", headers: { "webhook-signature": "" } }),
      send("/hooks/nothing", { id: "x" }),
      send("/hooks/unbound", { id: "x" }),
      send("/hooks/a/push", { id: "x" }),
      send("/hooks/push", { id: "x", key: `${KEY} of a` }),
      send("/hooks/nobody/push", { id: "x" }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(401));
    const said = new Set(await Promise.all(answers.map((answer) => answer.text())));
    expect(said.size).toBe(1);
    expect([await starts(), await starts("a")]).toEqual([before, 0]);
    const entries = (await door.kernel.ledger()).filter(({ what }) => what === "hook.refuse");
    expect(entries[0]).toMatchObject({
      by: "hook:push",
      detail: { schedule: "push", from: "127.0.0.1" },
    });
    expect(entries.length).toBeLessThanOrEqual(2); // one a minute of each name
  });

  test("of a tenant is at the tenant's own address, with the tenant's secret", async () => {
    const answer = await send("/hooks/a/push", { id: "t", key: `${KEY} of a` });

    expect(answer.status).toBe(202);
    const { pid } = (await answer.json()) as { pid: string };
    expect((await door.kernel.show(pid)).tenant).toBe("a");
  });

  test("cannot be sent by a page in a browser, signed or not (HOOK-ROUTES-3)", async () => {
    const before = await starts();

    const answer = await send("/hooks/push", { headers: { origin: "https://evil.example" } });
    const asForm = await send("/hooks/push", {
      key: "none",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });

    expect([answer.status, asForm.status]).toEqual([403, 401]);
    expect(await starts()).toBe(before);
  });

  test("that is too large is refused before it is read to its end", async () => {
    const answer = await send("/hooks/push", { id: "large", body: `"${"x".repeat(2000)}"` });

    expect(answer.status).toBe(413);
  });

  test("gets no more from the vault than its own key, and the key is in no record", async () => {
    const answer = await send("/hooks/push", { id: "leak", body: JSON.stringify({ key: KEY }) });
    const { pid } = (await answer.json()) as { pid: string };
    await door.kernel.wait(pid);

    await until(async () => (await door.kernel.scheduleTicks("push"))[0]?.endedAt !== null);
    const { output } = await door.kernel.show(pid);
    expect(JSON.stringify(output)).not.toContain(KEY);
    expect(JSON.stringify(await door.kernel.schedule("push"))).not.toContain(KEY);
  });
});
