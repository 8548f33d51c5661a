// H, second part: scrubbing. A program writes a secret, in some encoding, into something that is stored or shown.

import type { Range } from "../range.ts";
import { codeOf, gotOf, tried, type AttackRow, type AttackOutcome } from "./row.ts";
import { declare, useOf } from "./secrets.ts";

const SETTLEMENT = "kernel/src/syscall/settlement.ts";

/** Everything stored or shown of a process. */
async function keptOf(range: Range, pid: string): Promise<string> {
  const { kernel } = range;
  const ledger = await kernel.ledger(); // first: it waits until all of it is on the disk
  return JSON.stringify([
    ledger,
    await kernel.journal(pid),
    await kernel.show(pid),
    (await kernel.coreDump(pid)) ?? null,
  ]);
}

/** Whether the text contains this value, plain or as JSON. */
export function holds(text: string, form: string): boolean {
  const once = JSON.stringify(form).slice(1, -1);
  return [form, once, JSON.stringify(once).slice(1, -1)].some((one) => text.includes(one));
}

export async function kept(range: Range, pid: string, form: string): Promise<AttackOutcome> {
  const text = await keptOf(range, pid);
  return tried(
    holds(text, form),
    holds(text, form) ? "the value is stored" : "the value is not stored",
  );
}

/** A tool returns the secret in another encoding. */
const echoed =
  (formOf: (secret: string) => string) =>
  async (range: Range): Promise<AttackOutcome> => {
    await declare(range);
    const form = formOf(range.secret);
    let got: unknown;
    const echo = range.echo(form);
    const { pid } = await range.run(
      async (sys) => void (got = await gotOf(sys.exec("range.echo", { echo }))),
      {
        capabilities: ["tool:range.*:call"],
      },
    );
    const told = JSON.stringify(got ?? null);
    if (holds(told, form)) return tried(true, "the program was told the value");
    return kept(range, pid, form);
  };

const echo = (id: string, name: string, formOf: (secret: string) => string): AttackRow => ({
  id,
  name,
  stoppedBy: "kernel/src/secret/forms.ts",
  run: echoed(formOf),
});

const base64 = (before: string) => (secret: string) =>
  Buffer.from(`${before}${secret}`).toString("base64");

export const scrubbing: readonly AttackRow[] = [
  echo("H10", "echo a secret unchanged", (secret) => secret),
  echo("H11", "echo a secret in base64", base64("")),
  echo("H12", "echo a secret in base64, shifted by one character", base64("a")),
  echo("H13", "echo a secret in base64, shifted by two characters", base64("ab")),
  echo("H14", "echo a secret in base64url", (secret) => Buffer.from(secret).toString("base64url")),
  echo("H15", "echo a secret in URL encoding", encodeURIComponent),
  echo("H16", "echo a secret in hexadecimal", (secret) => Buffer.from(secret).toString("hex")),
  echo("H17", "echo a secret in upper-case hexadecimal", (secret) =>
    Buffer.from(secret).toString("hex").toUpperCase(),
  ),
  echo("H18", "echo a secret escaped for HTML", (secret) =>
    secret
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;"),
  ),
  echo("H19", "echo a secret in doubly encoded JSON", (secret) => JSON.stringify({ secret })),
  echo("H20", "echo a secret in base64 with line breaks", (secret) =>
    (base64("x".repeat(40))(secret).match(/.{1,60}/g) ?? []).join("\n"),
  ),
  {
    id: "H21",
    name: "have a server echo the header with a secret",
    stoppedBy: SETTLEMENT,
    run: async (range) => {
      await declare(range);
      const url = `http://127.0.0.1:${range.web.front}/public/echo`;
      const args = { url, headers: { authorization: { secret: "RANGE_TOKEN" } } };
      const { pid } = await range.run(async (sys) => codeOf(sys.exec("http.fetch", args)), {
        capabilities: useOf(range),
      });
      const isSent = range.web.visits.some(({ headers }) => headers.authorization === range.secret);
      if (!isSent) throw new Error("the secret was not sent at all");
      return kept(range, pid, range.secret);
    },
  },
];
