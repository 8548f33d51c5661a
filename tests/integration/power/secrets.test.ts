// Secrets: names to an agent, values at the one place that they are bound to, and nowhere in what is kept.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Json, Sys, Tool } from "@aos/protocol";
import { bootForTest, codeOf } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";

const VALUE = 'tok/EN+with"quotes and ~tilde-1234567890';
const PLACE = {
  kind: "header",
  origin: "https://api.example.com",
  header: "authorization",
} as const;
const BINDING = { kind: "header", origin: "https://api.example.com", header: "Authorization" };

const seen: string[] = [];

const base64At = (before: string) => Buffer.from(before + VALUE + "!").toString("base64");

const tool = (name: string, run: Tool["run"]): Tool => ({
  name,
  version: "1",
  description: name,
  input: {},
  effect: "read",
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [],
  run,
});

const send = tool("send", async (args, context) => {
  const { place = PLACE } = (args ?? {}) as { place?: typeof PLACE };
  const value = context.secret("TOKEN", place);
  seen.push(value);
  return { echoed: value, encoded: encodeURIComponent(value), inHeader: base64At("Bearer ") };
});

const fail = tool("fail", async () => {
  throw new Error(`the far side said: ${VALUE} and ${base64At("x")}`);
});

const CAPABILITIES = ["tool:*:call", "secret:TOKEN:use", "memory:/mem/**:read,write"];

async function bootWithSecret(program: (sys: Sys) => Promise<Json>) {
  const booted = await bootForTest({
    policy: allowBut(),
    tools: [send, fail],
    programs: { user: program },
    secretKey: "ab".repeat(32),
  });
  await booted.kernel.setSecret({ name: "TOKEN", value: VALUE, bindings: [BINDING] }, "alice");
  return booted;
}

test("its value is given out for the place that it is bound to, by grant, and for no other", async () => {
  const { kernel } = await bootWithSecret(async (sys) => [
    await codeOf(sys.exec("send", {})),
    await codeOf(sys.exec("send", { place: { ...PLACE, origin: "https://evil.example.com" } })),
    await codeOf(sys.exec("send", { place: { ...PLACE, header: "x-other" } })),
  ]);
  seen.length = 0;

  const granted = await kernel.wait(
    await kernel.spawn({ agent: "user", capabilities: CAPABILITIES }),
  );
  const without = await kernel.wait(
    await kernel.spawn({ agent: "user", capabilities: ["tool:*:call"] }),
  );

  expect(granted.output).toEqual(["ok", "EACCES", "EACCES"]);
  expect(without.output).toEqual(["EACCES", "EACCES", "EACCES"]);
  expect(seen).toEqual([VALUE]);
});

test("it is in nothing that is kept, however it is echoed", async () => {
  const booted = await bootWithSecret(async (sys) => {
    const echoed = await sys.exec("send", {});
    const failed = await sys.exec("fail", {}).catch((error: Error) => error.message);
    await sys.write("/mem/working/x", `${VALUE} ${encodeURIComponent(VALUE)}`);
    await sys.write("/mem/shared/y", { [VALUE]: base64At("ab") });
    await sys.send((await sys.self()).pid, VALUE).catch(() => {});
    return { echoed, failed, mine: VALUE };
  });
  const { kernel, file } = booted;
  const pid = await kernel.spawn({ agent: "user", input: VALUE, capabilities: CAPABILITIES });
  await kernel.send(pid, VALUE);

  const ending = await kernel.wait(pid);
  const shown = JSON.stringify([ending, await kernel.journal(pid), await kernel.ledger()]);
  await booted.again();

  const kept = readdirSync(dirname(file)).map((name) =>
    readFileSync(join(dirname(file), name), "latin1"),
  );
  for (const text of [shown, ...kept]) {
    const utf8 = Buffer.from(text, "latin1").toString("utf8");
    for (const form of [VALUE, JSON.stringify(VALUE).slice(1, -1), encodeURIComponent(VALUE)]) {
      expect(text.includes(form) || utf8.includes(form)).toBe(false);
    }
    // The middle of each alignment: what is left of base64 without its edges.
    for (const before of ["", "x", "ab"])
      expect(text.includes(base64At(before).slice(8, 40))).toBe(false);
  }
  expect(shown).toContain("[secret:TOKEN]");
});

test("a token that nobody declared is known by its looks", async () => {
  const token = `ghp_${"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2dF4hJ6".slice(0, 36)}`;
  const { kernel } = await bootForTest({
    policy: allowBut(),
    tools: [tool("page", async () => `your key is ${token}`)],
    programs: { user: async (sys) => sys.exec("page", {}) },
  });
  const pid = await kernel.spawn({ agent: "user", capabilities: CAPABILITIES });

  expect((await kernel.wait(pid)).output).not.toContain(token);
  expect(JSON.stringify(await kernel.journal(pid))).not.toContain(token);
});
