import type { Client } from "@aos/client";
import type { AttackReport, DoctorReport } from "@aos/protocol";
import { expect, test } from "vitest";
import type { Output } from "../output.ts";
import { command } from "./doctor.ts";

async function doctor(flag: string, answers: Partial<Record<"doctor" | "attack", unknown>>) {
  const said: string[] = [];
  const out: Output = {
    format: "text",
    terminal: false,
    data: async (_value, human) => void said.push(human()),
    line: async () => {},
    note: (text) => void said.push(text),
  };
  const client = {
    doctor: async () => answers.doctor,
    attack: async () => answers.attack,
  } as unknown as Client;
  const options = { text: () => undefined, texts: () => [], flag: (name: string) => name === flag };
  const place = { home: "/h", socket: "/h/s" };
  const code = await command({ args: [], options, client, place, out });
  return { code, text: said.join("\n") };
}

const attack = (outcome: "stopped" | "got-through" | "skipped") => ({
  id: outcome,
  name: `an attack that is ${outcome}`,
  group: "paths",
  outcome,
  detail: "",
});

test.each([
  [["stopped", "skipped"], 0],
  [["stopped", "got-through"], 1],
] as const)("attacks that were %j end with %i", async (outcomes, code) => {
  const attacks = outcomes.map(attack);
  const gotThrough = attacks.filter(({ outcome }) => outcome === "got-through").length;
  const report: AttackReport = { attacks, gotThrough };

  const ran = await doctor("attack", { attack: report });

  expect(ran.code).toBe(code);
  for (const { name } of attacks) expect(ran.text).toContain(name);
  expect(ran.text).toContain(`${gotThrough} got through`);
});

test("a check that fails says what to do, and is exit code 1", async () => {
  const fs = "absent" as const;
  const report: DoctorReport = {
    ok: false,
    checks: [{ name: "home", ok: false, detail: "mode 0755", hint: "chmod 700 it" }],
    sandbox: { fs, net: fs, pids: fs, mem: fs, cpu: fs, disk: fs, syscalls: fs },
  };

  const ran = await doctor("none", { doctor: report });

  expect(ran.code).toBe(1);
  expect(ran.text).toMatch(/no +home +mode 0755; chmod 700 it/);
});
