import type { Causes } from "@aos/protocol";
import { expect, test } from "vitest";
import { nextSteps } from "./next-steps.ts";

const pid = "agt_1";

const causes = (more: object): Causes =>
  ({
    pid,
    agent: "writer",
    state: "failed",
    waitingOn: null,
    exitCode: 1,
    waitsFor: [],
    seq: 4,
    error: null,
    decision: null,
    links: [{ kind: "end" }],
    ...more,
  }) as unknown as Causes;

const commands = (of: Causes, asked?: number): string[] =>
  nextSteps(of, asked === undefined ? {} : { asked }).map(({ command }) => command);

const refused = (code: string, detail?: object) => ({ decision: { seq: 3, code, detail } });

test("NEXT-STEPS-1, NEXT-STEPS-2: a missing capability is granted by a line that a shell reads as it is meant", () => {
  const detail = { grant: ["file:/work/it's:read{max:1}"] };

  expect(commands(causes({ agent: "my writer", ...refused("EACCES", detail) }))).toEqual([
    "aos caps why agt_1 3",
    `aos caps grant --agent 'my writer' 'file:/work/it'\\''s:read{max:1}'`,
    "aos debug agt_1",
  ]);
});

test.each([
  ["EPOLICY", "aos policy show"],
  ["EBUDGET", "aos cost"],
  ["EDENIED", "aos retry agt_1"],
])("after %s comes %s", (code, command) => {
  expect(commands(causes(refused(code)))[1]).toBe(command);
});

test("a model that failed is looked at", () => {
  expect(commands(causes({ error: { code: "EUPSTREAM" } }))[0]).toBe("aos model ls");
});

test.each([
  [{ waitsFor: [{ question: "q_1" }], waitingOn: "approval" }, "aos approvals show q_1"],
  [{ waitingOn: "message" }, "aos send agt_1 TEXT"],
  [{ waitingOn: "slot" }, "aos top"],
  [{ state: "paused", waitsFor: [{ question: "q_1" }] }, "aos resume agt_1"],
  [{ waitingOn: "tool" }, "aos logs agt_1 --follow"],
])("for a living process %j begins with %s", (more, command) => {
  expect(commands(causes({ state: "waiting", exitCode: null, ...more }))[0]).toBe(command);
});

test("for a completed process the result comes first", () => {
  expect(commands(causes({ state: "completed", exitCode: 0 }))[0]).toBe("aos show agt_1");
});

test("for a record they are the gate's decision, the state there and a fork; for an end there is no fork", () => {
  expect(commands(causes({ links: [{ kind: "call" }], ...refused("EACCES") }), 4)).toEqual([
    "aos caps why agt_1 3",
    "aos debug agt_1 --at 4",
    "aos fork agt_1 --at 4",
  ]);
  expect(commands(causes({}), 4)).toEqual(["aos debug agt_1 --at 4"]);
});
