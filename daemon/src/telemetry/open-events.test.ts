// What a kernel does, as OCSF events in a file. `OCSF-1` and the like are the invariants of ocsf.ts.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootKernel } from "@aos/kernel";
import type { Program, Tool } from "@aos/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { openEvents } from "./open-events.ts";
import { telemetrySection } from "./telemetry-config.ts";

const pay: Tool = {
  name: "pay",
  effect: "external",
  version: "1",
  description: "Pays.",
  input: {},
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [],
  run: async () => "paid to bob",
};

const programs: Record<string, Program> = {
  payer: async (sys) => sys.exec("pay", { to: "bob" }),
};

const section = telemetrySection.telemetry;
type Event = Record<string, unknown> & { class_uid: number };

async function follow(classes?: string[], scrub = (text: string) => text) {
  const folder = mkdtempSync(join(tmpdir(), "aos-events-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "events.ndjson");
  const kernel = await bootKernel({ programs, tools: [pay] });
  onTestFinished(() => kernel.close());
  const config = section.parse({ ocsf: { file, ...(classes && { classes }) } });
  const watched = { follow: kernel.follow.bind(kernel), show: kernel.show.bind(kernel), scrub };
  const events = (await openEvents(watched, config, { info() {}, warn() {} }))!;
  const read = () =>
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Event);
  const run = async (capabilities: string[]) => {
    const pid = await kernel.spawn({ agent: "payer", capabilities });
    await kernel.wait(pid);
    return pid;
  };
  return { kernel, events, read, run, file };
}

const ofClass = (events: Event[], uid: number) => events.filter((one) => one.class_uid === uid);

test("a call that went well, what a process was given, and a refusal have their classes", async () => {
  const { events, read, run } = await follow();
  const good = await run(["tool:pay:call"]);
  const bad = await run([]);
  await vi.waitFor(() => expect(ofClass(read(), 2004)).toHaveLength(1), 120_000);
  await events.close();

  const all = read();
  const [paid, refused] = ofClass(all, 6003).filter(
    (one) => (one["api"] as { operation: string }).operation === "exec",
  );
  expect(paid).toMatchObject({
    category_uid: 6,
    activity_id: 99,
    type_uid: 600_399,
    status_id: 1,
    metadata: { version: "1.5.0", tenant_uid: "default", correlation_uid: good },
    actor: { app_name: "payer", app_uid: good },
    resources: [{ name: "pay", type: "tool" }],
  });
  expect(refused).toMatchObject({ status_id: 2, status_code: "EACCES", actor: { app_uid: bad } });
  expect(ofClass(all, 3003)[0]).toMatchObject({
    activity_id: 1,
    type_uid: 300_301,
    user: { name: "payer", uid: good },
    privileges: ["tool:pay:call"],
  });
  expect(ofClass(all, 2004)[0]).toMatchObject({
    type_uid: 200_401,
    severity_id: 3,
    finding_info: { types: ["EACCES"], title: "exec was refused: EACCES" },
  });
  for (const event of all)
    for (const key of [
      "activity_id",
      "category_uid",
      "class_uid",
      "metadata",
      "severity_id",
      "time",
      "type_uid",
    ])
      expect(event).toHaveProperty(key);
  expect(events.counts).toEqual({ sent: all.length, dropped: 0 });
});

test("OCSF-2: no argument and no result is in an event", async () => {
  const { events, file, run } = await follow();
  await run(["tool:pay:call"]);
  await vi.waitFor(() => expect(readFileSync(file, "utf8")).toContain('"exec"'), 120_000);
  await events.close();

  expect(readFileSync(file, "utf8")).not.toContain("bob");
});

test("OCSF-1: an event is scrubbed as a whole", async () => {
  const { events, file, run } = await follow(undefined, (text) => text.replaceAll("pay", "***"));
  await run(["tool:pay:call"]);
  await vi.waitFor(() => expect(readFileSync(file, "utf8")).toContain('"exec"'), 120_000);
  await events.close();

  expect(readFileSync(file, "utf8")).not.toContain("pay");
});

test("only the classes that are asked for are written", async () => {
  const { events, read, run } = await follow(["finding"]);
  await run([]);
  await vi.waitFor(() => expect(read()).toHaveLength(1), 120_000);
  await events.close();

  expect(read().map((one) => one.class_uid)).toEqual([2004]);
});

test.each([
  [{ file: "/x", syslog: "udp://h:1" }, "name one of them"],
  [{}, "name one of them"],
  [{ file: "relative" }, "absolute path"],
  [{ syslog: "http://h" }, "a syslog server is"],
  [{ syslog: "unix:relative" }, "a syslog server is"],
])("a wrong place for events is refused: %j", (ocsf, message) => {
  const { success, error } = section.safeParse({ ocsf });

  expect({ success, says: error?.issues[0]?.message }).toMatchObject({
    success: false,
    says: expect.stringContaining(message),
  });
});
