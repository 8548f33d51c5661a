import { expect, test } from "vitest";
import { systemPlatform } from "../platform/clock.ts";
import type { Binding } from "./binding.ts";
import { secretKey } from "./key.ts";
import type { SealedSecret } from "./seal.ts";
import { type SecretRows, Vault } from "./vault.ts";

const oldKey = secretKey(Buffer.alloc(32, 1));
const newKey = secretKey(Buffer.alloc(32, 2));
const VALUE = "correct horse battery";
const GITHUB: Binding = {
  kind: "header",
  origin: "api.github.com",
  header: "Authorization",
  prefix: "Bearer ",
};
const AT_GITHUB = {
  kind: "header",
  origin: "https://api.github.com",
  header: "authorization",
} as const;

class RowsInMemory implements SecretRows {
  rows: SealedSecret[] = [];
  /** Set, it is thrown instead of the next change. */
  trouble: Error | undefined;
  all = async () => this.rows;
  put = async (row: SealedSecret) => {
    if (this.trouble !== undefined) throw this.trouble;
    this.rows = [...this.#without(row.tenant, row.name), row];
  };
  remove = async (tenant: string, name: string) => {
    if (this.trouble !== undefined) throw this.trouble;
    this.rows = this.#without(tenant, name);
  };
  #without = (tenant: string, name: string) =>
    this.rows.filter((row) => row.tenant !== tenant || row.name !== name);
}

async function openForTest(rows = new RowsInMemory()) {
  let now = 1000;
  const platform = { ...systemPlatform, now: () => (now += 1) };
  return { rows, platform, vault: await Vault.open(rows, [oldKey], platform) };
}

const withSecret = async (bindings: Binding[] = [GITHUB]) => {
  const opened = await openForTest();
  await opened.vault.set("default", { name: "TOKEN", value: VALUE, bindings });
  return opened;
};

test("VAULT-1: a value is given for its place, with the prefix, and for no other", async () => {
  const { vault } = await withSecret([GITHUB, { kind: "variable", tool: "git", variable: "GH" }]);

  expect(vault.reveal("default", "TOKEN", AT_GITHUB)).toBe(`Bearer ${VALUE}`);
  expect(vault.reveal("default", "TOKEN", { kind: "variable", tool: "git", variable: "GH" })).toBe(
    VALUE,
  );
  expect(() =>
    vault.reveal("default", "TOKEN", { ...AT_GITHUB, origin: "https://evil.example" }),
  ).toThrow(expect.objectContaining({ code: "EACCES" }));
});

test("VAULT-1: a secret without a binding is given out nowhere, and still scrubbed", async () => {
  const { vault } = await withSecret([]);

  expect(() => vault.reveal("default", "TOKEN", AT_GITHUB)).toThrow(
    expect.objectContaining({ code: "EACCES" }),
  );
  expect(vault.scrubber().text(VALUE)).toBe("[secret:TOKEN]");
});

test("another tenant's secret is not there", async () => {
  const { vault } = await withSecret();

  expect(() => vault.reveal("other", "TOKEN", AT_GITHUB)).toThrow(
    expect.objectContaining({ code: "ENOENT" }),
  );
  expect(vault.list("other")).toEqual([]);
  expect(vault.scrubber("other").text(VALUE)).toBe(VALUE);
  expect(vault.scrubber("default").text(VALUE)).toBe("[secret:TOKEN]");
  expect(await vault.remove("other", "TOKEN")).toBe(false);
});

test("what is stored and what is listed hold nothing of the value", async () => {
  const { rows, vault } = await withSecret();
  await vault.set("default", { name: "LONGER", value: VALUE.repeat(5), bindings: [] });

  const seen = JSON.stringify(rows.rows) + JSON.stringify(vault.list("default"));

  for (const form of [
    VALUE,
    Buffer.from(VALUE).toString("base64"),
    Buffer.from(VALUE).toString("hex"),
  ])
    expect(seen).not.toContain(form);
  expect(vault.list("default")).toEqual([
    { name: "LONGER", bindings: [], createdAt: 1002, updatedAt: 1002 },
    {
      name: "TOKEN",
      bindings: [{ ...GITHUB, origin: "https://api.github.com", header: "authorization" }],
      createdAt: 1001,
      updatedAt: 1001,
    },
  ]);
  const [short, long] = rows.rows.map(
    ({ sealed }) => (JSON.parse(sealed) as { box: string }).box.length,
  );
  expect(short).toBe(long);
});

test("no two seals share a nonce, though the secret is the same", async () => {
  const { rows, vault } = await withSecret();
  const first = rows.rows[0]?.sealed;
  await vault.set("default", { name: "TOKEN", value: VALUE, bindings: [GITHUB] });

  const nonceOf = (sealed = "{}") => (JSON.parse(sealed) as { nonce: string }).nonce;
  expect(Buffer.from(nonceOf(first), "base64")).toHaveLength(12);
  expect(nonceOf(rows.rows[0]?.sealed)).not.toBe(nonceOf(first));
});

test("a vault that is opened again knows what was set, and when it was first", async () => {
  const { rows, vault } = await withSecret();
  await vault.set("default", { name: "TOKEN", value: `${VALUE}2`, bindings: [GITHUB] });

  const { vault: again } = await openForTest(rows);

  expect(again.reveal("default", "TOKEN", AT_GITHUB)).toBe(`Bearer ${VALUE}2`);
  expect(again.list("default")).toMatchObject([{ createdAt: 1001, updatedAt: 1002 }]);
});

const tampered: readonly [what: string, change: (row: SealedSecret) => SealedSecret][] = [
  ["another name", (row) => ({ ...row, name: "OTHER" })],
  ["another tenant", (row) => ({ ...row, tenant: "other" })],
  ["another time", (row) => ({ ...row, updatedAt: row.updatedAt + 1 })],
  [
    "another host",
    (row) => ({ ...row, sealed: row.sealed.replace("api.github.com", "evil.example.co") }),
  ],
  [
    "another birth",
    (row) => ({ ...row, sealed: row.sealed.replace('"createdAt":1', '"createdAt":2') }),
  ],
  ["no prefix", (row) => ({ ...row, sealed: row.sealed.replace(',"prefix":"Bearer "', "") })],
  ["another box", (row) => ({ ...row, sealed: row.sealed.replace(/"box":"..../, '"box":"AAAA') })],
  ["another tag", (row) => ({ ...row, sealed: row.sealed.replace(/"tag":"..../, '"tag":"AAAA') })],
  [
    "a shorter tag",
    (row) => ({ ...row, sealed: row.sealed.replace(/"tag":"(....).*?"/, '"tag":"$1"') }),
  ],
  ["no JSON", (row) => ({ ...row, sealed: "{" })],
  ["null", (row) => ({ ...row, sealed: "null" })],
  [
    "another version",
    (row) => ({ ...row, sealed: row.sealed.replace('"version":1', '"version":2') }),
  ],
];

test.each(tampered)("VAULT-3: a row with %s keeps the vault shut", async (_what, change) => {
  const { rows } = await withSecret();
  const [row] = rows.rows;
  rows.rows = [change(row!)];
  expect(rows.rows[0]).not.toEqual(row);

  await expect(openForTest(rows)).rejects.toMatchObject({ code: "ECORRUPT" });
});

test("a wrong key is named, and so is the one that is needed", async () => {
  const { rows, platform } = await withSecret();

  const opening = Vault.open(rows, [newKey], platform);

  await expect(opening).rejects.toThrow(
    `TOKEN was encrypted with the key ${oldKey.id}; available keys: ${newKey.id}`,
  );
});

test("rekey: every row opens with the new key alone", async () => {
  const { rows, platform, vault } = await withSecret();
  await vault.set("other", { name: "TOKEN", value: `${VALUE}!`, bindings: [GITHUB] });

  expect(await vault.rekey(newKey)).toBe(2);
  await vault.set("default", { name: "LATER", value: VALUE, bindings: [] });

  const again = await Vault.open(rows, [newKey], platform);
  expect(again.reveal("other", "TOKEN", AT_GITHUB)).toBe(`Bearer ${VALUE}!`);
  expect(again.list("default")).toHaveLength(2);
});

test("rekey: one that was cut short is done again with both keys", async () => {
  const { rows, platform, vault } = await withSecret();
  await vault.set("default", { name: "SECOND", value: VALUE, bindings: [] });
  const put = rows.put;
  let left = 1;
  rows.put = async (row) => (left-- > 0 ? put(row) : Promise.reject(new Error("no power")));
  await expect(vault.rekey(newKey)).rejects.toThrow("no power");
  rows.put = put;

  const both = await Vault.open(rows, [oldKey, newKey], platform);
  await both.rekey(newKey);

  expect((await Vault.open(rows, [newKey], platform)).list("default")).toHaveLength(2);
});

test("VAULT-2: what could not be stored is not known, and the next change goes on", async () => {
  const { rows, vault } = await withSecret();
  rows.trouble = new Error("disk full");
  const change = { name: "TOKEN", value: "another value", bindings: [GITHUB] };
  await expect(vault.set("default", change)).rejects.toThrow("disk full");
  await expect(vault.remove("default", "TOKEN")).rejects.toThrow("disk full");

  expect(vault.reveal("default", "TOKEN", AT_GITHUB)).toBe(`Bearer ${VALUE}`);
  rows.trouble = undefined;
  await vault.set("default", change);
  expect(vault.reveal("default", "TOKEN", AT_GITHUB)).toBe("Bearer another value");
});

test("VAULT-2: changes come in turn: the last that was asked for is the one that is stored", async () => {
  const { rows, vault, platform } = await withSecret();
  const put = rows.put;
  let delay = 5;
  rows.put = async (row) => {
    for (let turn = (delay -= 1); turn > 0; turn--) await Promise.resolve();
    await put(row);
  };

  await Promise.all(
    ["first value", "second value", "third value"].map((value) =>
      vault.set("default", { name: "TOKEN", value, bindings: [GITHUB] }),
    ),
  );

  const again = await Vault.open(rows, [oldKey], platform);
  expect(vault.reveal("default", "TOKEN", AT_GITHUB)).toBe("Bearer third value");
  expect(again.reveal("default", "TOKEN", AT_GITHUB)).toBe("Bearer third value");
});

test("VAULT-4: a replaced value is scrubbed on, a removed one no longer", async () => {
  const { rows, vault, platform } = await withSecret();
  expect(vault.scrubber()).toBe(vault.scrubber());
  await vault.set("default", { name: "TOKEN", value: "the new value", bindings: [GITHUB] });

  expect(vault.scrubber("default").text(`${VALUE}, the new value`)).toBe(
    "[secret:TOKEN], [secret:TOKEN]",
  );
  const node = await Vault.open(rows, [oldKey], platform);
  await vault.set("default", { name: "TOKEN", value: "newest value", bindings: [] });
  await node.reload();
  expect(node.scrubber().text("the new value, newest value")).toBe(
    "[secret:TOKEN], [secret:TOKEN]",
  );
  expect(await vault.remove("default", "TOKEN")).toBe(true);
  expect(vault.scrubber().text(`${VALUE}, newest value`)).toBe(`${VALUE}, newest value`);
  expect(() => vault.reveal("default", "TOKEN", AT_GITHUB)).toThrow("unknown secret");
  expect(rows.rows).toEqual([]);
});

test("what cannot be a secret is refused, and why", async () => {
  const { rows, vault } = await openForTest();
  const set = (name: string, value: string, bindings: Binding[] = []) =>
    vault.set("default", { name, value, bindings });

  await expect(set("TOKEN", "short")).rejects.toThrow("shorter than 8 characters");
  await expect(set("TOKEN", "  short  ")).rejects.toThrow("shorter than 8 characters");
  await expect(set("TOKEN", "x".repeat(65_537))).rejects.toThrow("longer than");
  await expect(set("TOKEN", "abcdefgh\u{dc00}")).rejects.toThrow("Unicode");
  await expect(set("TOKEN", "line\r\nX-Evil: 1", [GITHUB])).rejects.toThrow("header");
  await expect(
    set(
      "TOKEN",
      VALUE,
      Array.from({ length: 33 }, () => GITHUB),
    ),
  ).rejects.toThrow("32");
  for (const name of ["", "token", "1TOKEN", "TO-KEN", "T".repeat(64), "TOKEN\n"])
    await expect(set(name, VALUE)).rejects.toMatchObject({ code: "EINVAL" });
  expect(rows.rows).toEqual([]);
});
