// Somebody writes the database while the kernel is down: ceilings and secrets that were set once and are
// not what was set last. None of them is used, and the audit names each. (settings-proof.ts, SETTINGS-PROOF-1 to SETTINGS-PROOF-4)

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Sys, Tool } from "@aos/protocol";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { codeOf } from "../../helpers/kernel.ts";

const KEY = Buffer.alloc(32, "k").toString("base64");

let folder: string;
let troubles: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-settings-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  troubles = [];
});

const PLACE = { kind: "header", origin: "https://api.example", header: "authorization" } as const;

const tool = (name: string, run: Tool["run"]): Tool => ({
  name,
  version: "1",
  description: "a fake",
  input: {},
  effect: "read",
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [],
  run,
});
const tools = [
  tool("look", async () => "seen"),
  tool("reveal", async (_args, context) => context.secret("TOKEN", PLACE).length),
];
const programs = {
  looks: async (sys: Sys) => codeOf(sys.exec("look", {})),
  reveals: async (sys: Sys) =>
    sys.exec("reveal", {}).catch((error: { code: string }) => error.code),
} as never;

async function boot(more: KernelOptions = {}): Promise<Kernel> {
  const kernel = await bootKernel({
    store: { file: join(folder, "aos.db") },
    auditFolder: join(folder, "audit"),
    secretKey: KEY,
    programs,
    tools,
    onTrouble: (what, error) => troubles.push(`${what}: ${(error as Error | null)?.message}`),
    ...more,
  });
  onTestFinished(() => kernel.close());
  return kernel;
}

function inDatabase<T>(work: (database: DatabaseSync) => T): T {
  using database = new DatabaseSync(join(folder, "aos.db"));
  return work(database);
}
const write = (sql: string, ...values: SQLInputValue[]) =>
  inDatabase((database) => void database.prepare(sql).run(...values));
const ceilingRow = () =>
  inDatabase(
    (database) =>
      database.prepare("select ceiling from tenant where name = 'acme'").get()![
        "ceiling"
      ] as string,
  );

const findings = async (kernel: Kernel) =>
  (await kernel.verify()).findings.map((one) => one.message);
const looks = async (kernel: Kernel) => {
  const pid = await kernel.spawn({ agent: "looks", tenant: "acme", capabilities: ["tool:*:call"] });
  return (await kernel.wait(pid)).output;
};

/** Once `wide`, now narrow: the row of then, and a kernel that is down. */
async function narrowed(): Promise<string> {
  const first = await boot();
  await first.addTenant("acme", { ceiling: ["tool:*:call"] }, "op");
  expect(await looks(first)).toBe("ok");
  await first.close();
  const wide = ceilingRow();
  const second = await boot();
  await second.setTenant("acme", { ceiling: ["message:*:receive"] }, "op");
  expect(await findings(second)).toEqual([]);
  await second.close();
  return wide;
}

test.each<[string, (wide: string) => void]>([
  ["an older row", (wide) => write("update tenant set ceiling = ? where name = 'acme'", wide)],
  ["an empty row", () => write("update tenant set ceiling = null where name = 'acme'")],
])(
  "SETTINGS-PROOF-1: %s is no ceiling: the tenant holds nothing until it is set again",
  async (_what, forge) => {
    forge(await narrowed());

    const kernel = await boot();

    expect(await looks(kernel)).toBe("EACCES");
    expect(troubles.join("\n")).toMatch(/tenant acme is blocked.*is not the one that was set last/);
    expect(await findings(kernel)).toContainEqual(expect.stringMatching(/ceiling of tenant acme/));
    await kernel.setTenant("acme", { ceiling: ["tool:*:call"] }, "op");
    expect(await looks(kernel)).toBe("ok");
    expect(await findings(kernel)).toEqual([]);
  },
);

test("SETTINGS-PROOF-1: a tenant that was removed does not come back; one that is gone is named", async () => {
  const first = await boot();
  await first.addTenant("acme", { ceiling: ["tool:*:call"] }, "op");
  await first.addTenant("other", {}, "op");
  await first.removeTenant("acme", "op");
  await first.close();
  write("update tenant set removed_at = null where name = 'acme'");
  write("delete from tenant where name = 'other'");

  const kernel = await boot();

  expect(await looks(kernel)).toBe("EACCES");
  expect((await findings(kernel)).join("\n")).toMatch(
    /acme.*it was removed[^]*tenant other is gone/,
  );
});

test.each<[string, string]>([
  [
    "cut off",
    "delete from ledger where seq >= (select min(seq) from ledger where entry like '%tenant.set%')",
  ],
  ["taken out", "delete from ledger where entry like '%tenant.set%'"],
  [
    "overwritten",
    "update ledger set entry = (select entry from ledger where entry like '%tenant.add%') where entry like '%tenant.set%'",
  ],
])(
  "SETTINGS-PROOF-1: an old setting does not count where the entry that replaced it was %s",
  async (_what, sql) => {
    const wide = await narrowed();
    write("update tenant set ceiling = ? where name = 'acme'", wide);
    write(sql);

    const kernel = await boot();

    expect(await looks(kernel)).toBe("EACCES");
    expect((await kernel.storeReport()).ok).toBe(false);
    await kernel.acceptStore({ by: "op" });
    await kernel.setTenant("acme", { ceiling: ["tool:*:call"] }, "op");
    expect(await looks(kernel)).toBe("ok");
    await kernel.close();
    expect((await (await boot()).storeReport()).ok).toBe(true);
  },
);

test("SETTINGS-PROOF-1: a ceiling that nobody set is none; one that config.yaml says is not from the store", async () => {
  const first = await boot({ tenants: { acme: {} } });
  await first.addTenant("other", { ceiling: ["tool:*:call"] }, "op");
  await first.close();
  write(
    "update tenant set ceiling = (select ceiling from tenant where name = 'other') where name = 'acme'",
  );

  const second = await boot({ tenants: { acme: {} } });
  expect(await looks(second)).toBe("EACCES");
  await second.close();

  const third = await boot({ tenants: { acme: { ceiling: ["tool:*:call"] } } });
  expect(await looks(third)).toBe("ok");
});

test("SETTINGS-PROOF-4: a crash between the row and its entry leaves both or neither", async () => {
  const kernel = await boot();
  await kernel.addTenant("acme", { ceiling: ["tool:*:call"] }, "op");

  expect(await findings(kernel)).toEqual([]);
});

const TOKEN = { name: "TOKEN", bindings: [PLACE] };
const SECRET_USE = ["tool:*:call", "secret:*:use"];

/** How long the value is that a tool is given, or the code of the refusal. */
const revealed = async (kernel: Kernel) => {
  const pid = await kernel.spawn({ agent: "reveals", capabilities: SECRET_USE });
  return (await kernel.wait(pid)).output;
};

test.each<[string, (first: string) => void]>([
  [
    "put back",
    (old) =>
      write(
        "update secret set sealed = ?, updated_at = ?",
        ...(JSON.parse(old) as [string, number]),
      ),
  ],
  ["emptied", () => write("delete from secret")],
])(
  "SETTINGS-PROOF-2: a secret whose row is %s is given to nobody, and named",
  async (what, forge) => {
    const first = await boot();
    await first.setSecret({ ...TOKEN, value: "the first value" }, "op");
    await first.close();
    const row = inDatabase((database) => database.prepare("select * from secret").get()!);
    const second = await boot();
    await second.setSecret({ ...TOKEN, value: "the second value" }, "op");
    expect(await findings(second)).toEqual([]);
    await second.close();
    forge(JSON.stringify([row["sealed"], row["updated_at"]]));

    const kernel = await boot();

    const found = (await findings(kernel)).join("\n");
    expect(found).toContain("TOKEN");
    expect(await revealed(kernel)).toBe(what === "put back" ? "ECORRUPT" : "ENOENT");
    await kernel.setSecret({ ...TOKEN, value: "the third value" }, "op");
    expect(await revealed(kernel)).toBe("the third value".length);
    expect(await findings(kernel)).toEqual([]);
  },
);

test("SETTINGS-PROOF-2: one that was removed does not come back", async () => {
  const first = await boot();
  await first.setSecret({ ...TOKEN, value: "the first value" }, "op");
  await first.close();
  const row = inDatabase((database) => database.prepare("select * from secret").get()!);
  const second = await boot();
  await second.removeSecret("TOKEN", { by: "op" });
  await second.close();
  write("insert into secret values (?, ?, ?, ?)", ...(Object.values(row) as SQLInputValue[]));

  const kernel = await boot();

  expect(await revealed(kernel)).toBe("ECORRUPT");
  expect(troubles.join("\n")).toMatch(/secret TOKEN .*it was removed/);
  expect(await findings(kernel)).toContainEqual(expect.stringContaining("secret TOKEN"));
});
