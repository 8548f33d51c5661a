import { helperPrograms, type SecretReport } from "@aos/protocol";
import { expect, test } from "vitest";
import { modelChecks, programChecks } from "./machine-checks.ts";

test("MACHINE-CHECKS-1: every program that is missing is named, and none makes the report fail", () => {
  const checks = programChecks((program) => (program === "git" ? "/usr/bin/git" : undefined));

  expect(checks.map(({ program }) => program)).toEqual(
    helperPrograms.map(({ program }) => (program === "git" ? undefined : program)),
  );
  expect(checks.every(({ ok, isOptional }) => ok || isOptional)).toBe(true);
});

const given = (providers: readonly string[], secrets: readonly string[]) =>
  modelChecks({
    kernel: {
      secrets: async () => secrets.map((name) => ({ name, tenant: "default" }) as SecretReport),
    },
    models: {
      config: { providers: Object.fromEntries(providers.map((name) => [name, {}])), models: {} },
      declaration: (name: string) =>
        name === "ollama" ? {} : { keySecret: `${name.toUpperCase()}_API_KEY` },
    } as never,
  });

test("a provider without its key is named with the command that sets it", async () => {
  const checks = await given(["anthropic", "ollama", "openai"], ["OPENAI_API_KEY"]);

  expect(checks).toMatchObject([
    { ok: false, isOptional: true, hint: "`aos secret set ANTHROPIC_API_KEY`" },
    { ok: true, detail: "ollama: needs no key" },
    { ok: true, detail: "openai: key OPENAI_API_KEY" },
  ]);
});

test("a home without any provider is told how to get one", async () => {
  expect(await given([], [])).toMatchObject([
    { ok: false, hint: expect.stringContaining("configure") },
  ]);
});
