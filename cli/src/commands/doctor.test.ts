import type { Client } from "@aos/client";
import type { Attack, AttackReport, DoctorReport } from "@aos/protocol";
import { expect, test } from "vitest";
import type { Output } from "../output.ts";
import command from "./doctor.ts";

interface Given {
  readonly flags?: readonly string[];
  readonly only?: string;
  readonly report?: DoctorReport;
  /** What the daemon tells of, and of how many. */
  readonly attacks?: readonly Attack[];
  readonly of?: number;
}

async function doctor({ flags = [], only, report, attacks = [], of = attacks.length }: Given) {
  const printed: string[] = [];
  const notes: string[] = [];
  const asked: unknown[] = [];
  let data: unknown;
  const out: Output = {
    format: "text",
    isWide: false,
    terminal: false,
    data: async (value, human) => {
      data = value;
      printed.push(human());
    },
    line: async () => {},
    note: (text) => void notes.push(text),
  };
  const client = {
    doctor: async () => report,
    attack: async function* (args: unknown) {
      asked.push(args);
      for (const [index, attack] of attacks.entries()) yield { attack, number: index + 1, of };
    },
  } as unknown as Client;
  const options = {
    text: (name: string) => (name === "only" ? only : undefined),
    texts: () => [],
    flag: (name: string) => flags.includes(name),
  };
  const endpoint = { home: "/h", socket: "/h/s" };
  const code = await command({ args: [], options, client, endpoint, out });
  return { code, text: printed.join("\n"), notes, asked, data };
}

const attack = (id: string, outcome: Attack["outcome"], group = "paths"): Attack => ({
  id,
  name: `the attack ${id}`,
  group,
  outcome,
  detail: `why ${id}`,
});

const MIXED = [
  attack("A1", "stopped"),
  attack("A2", "skipped"),
  attack("A3", "got-through"),
  attack("B1", "stopped", "links"),
];

test.each([
  [["stopped", "skipped"], 0],
  [["stopped", "got-through"], 1],
] as const)("attacks that were %j end with %i", async (outcomes, code) => {
  const attacks = outcomes.map((outcome, index) => attack(`A${index}`, outcome));

  const ran = await doctor({ flags: ["attack"], attacks });

  expect(ran.code).toBe(code);
  expect(ran.notes.at(-1)).toContain(`${code} succeeded`);
});

test("what got through is first, what was stopped is counted by group", async () => {
  const ran = await doctor({ flags: ["attack"], attacks: MIXED });

  expect(ran.text.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["OUTCOME", "ID", "GROUP", "ATTACK", "DETAIL"],
    ["got-through", "A3", "paths", "the attack A3", "why A3"],
    ["skipped", "A2", "paths", "the attack A2", "why A2"],
    [""],
    ["GROUP", "STOPPED"],
    ["paths", "1 of 3"],
    ["links", "1 of 1"],
  ]);
});

test("--verbose has a line for each; data has them all, as they were tried", async () => {
  const ran = await doctor({ flags: ["attack", "verbose"], attacks: MIXED });

  const ids = [...ran.text.matchAll(/the attack (\w+)/g)].map((match) => match[1]);
  expect(ids).toEqual(["A3", "A2", "A1", "B1"]);
  expect(ran.text).not.toContain("1 of 3");
  expect(ran.data).toEqual({ attacks: MIXED, gotThrough: 1 } satisfies AttackReport);
});

test("each group is told of when it is over", async () => {
  const ran = await doctor({ flags: ["attack"], attacks: MIXED });

  expect(ran.notes.slice(0, 2)).toEqual(["3 of 4 attacks: paths", "4 of 4 attacks: links"]);
});

test("a run that broke off is a failure, not a clean bill", async () => {
  const broken = doctor({ flags: ["attack"], attacks: [attack("A1", "stopped")], of: 2 });
  const empty = doctor({ flags: ["attack"] });
  empty.catch(() => {}); // it is waited for below

  await expect(broken).rejects.toMatchObject({ code: "EINTR" });
  await expect(empty).rejects.toMatchObject({ code: "EINTR" });
});

test("--only is a list, and nothing without --attack", async () => {
  const ran = await doctor({ flags: ["attack"], only: "F,H3", attacks: MIXED });

  expect(ran.asked).toEqual([{ only: ["F", "H3"] }]);
  await expect(doctor({ only: "F" })).rejects.toMatchObject({ code: "EINVAL" });
  await expect(doctor({ flags: ["verbose"] })).rejects.toMatchObject({ code: "EINVAL" });
});

test("a check that fails says what to do, and is exit code 1", async () => {
  const fs = "absent" as const;
  const report: DoctorReport = {
    ok: false,
    checks: [{ name: "home", ok: false, detail: "mode 0755", hint: "chmod 700 it" }],
    sandbox: { fs, net: fs, pids: fs, mem: fs, cpu: fs, disk: fs, files: fs, syscalls: fs },
    mechanisms: { fs, net: fs, pids: fs, mem: fs, cpu: fs, disk: fs, files: fs, syscalls: fs },
  };

  const ran = await doctor({ report });

  expect(ran.code).toBe(1);
  expect(ran.text).toMatch(/no +home +mode 0755; chmod 700 it/);
});
